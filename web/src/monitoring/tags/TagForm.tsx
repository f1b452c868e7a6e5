import { Input, SegmentedControl, TextInput } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { searchBrandsOfTags } from '~/api/queries/choices';
import { createTag, type TagChange, type TagRow, type TagVisibility, tagsKey, updateTag } from '~/api/queries/tagList';
import { findTags, type Tag, type TagScope, tagWithBrand } from '~/api/queries/tags';
import { isAdmin, useMe } from '~/api/session';
import { ErrorList } from '~/ui/authForm';
import { unlessChanged } from '~/ui/conflict';
import { AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { ModalForm } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { OPTIONS_KEY } from '~/ui/useFoundOptions';
import { NAMING_TAGS } from './namingTags';

/** The server's limit. */
const MAX_LABEL_LENGTH = 255;

const SCOPES = ['tag', 'term'] as const satisfies readonly TagScope[];
const VISIBILITIES = ['owner', 'all'] as const satisfies readonly TagVisibility[];

/** Codes of the server. */
const CONFLICT = '409';
const NOT_POSSIBLE = 'inclusion';

interface Values extends Record<string, unknown> {
  label: string;
  scope: TagScope;
  visibility: TagVisibility;
  brandOwnerId: Chosen | null;
  parentId: Chosen | null;
}

interface Props {
  /** The stored tag; undefined for a new one. */
  stored?: TagRow;
  /** A tag that a chooser did not find: the form asks for its name and brand only. */
  missing?: { scope: TagScope; label: string; brand?: Chosen | undefined };
  submitLabel: string;
  onSaved(tag: Tag): void;
  onCancel(): void;
}

const chosen = (id: number | null | undefined, label: string | undefined): Chosen | null =>
  typeof id === 'number' && label !== undefined ? { value: id, label } : null;

const firstBrand = queryOptions({
  queryKey: [...OPTIONS_KEY, 'first brand'],
  queryFn: async ({ signal }): Promise<Chosen | null> => (await searchBrandsOfTags('', signal))[0] ?? null,
});

/** The error of one field, in words of this form. */
const ofField = (field: keyof Values & string, text: string): ApiError =>
  new ApiError(422, '422', text, { [field]: [text] });

/** What of a change differs from the stored tag: what others changed of the rest meanwhile stays. */
const edited = (change: TagChange, stored: TagRow): Partial<TagChange> =>
  Object.fromEntries(Object.entries(change).filter(([field, value]) => value !== stored[field as keyof TagChange]));

/** The form of a new or stored tag. A new one belongs to the first brand unless another is given or chosen. */
export function TagForm({ stored: given, missing, submitLabel, onSaved, onCancel }: Props) {
  const { t } = useTranslation('tags');
  const queries = useQueryClient();
  const [submitted, setSubmitted] = useState(false);
  // What the form started with: the list behind it may be loaded again meanwhile.
  const [stored] = useState(given);
  const { data: first } = useQuery({ ...firstBrand, enabled: stored === undefined });

  const save = async (values: Values): Promise<Tag> => {
    const brand = values.brandOwnerId ?? (stored ? null : await queries.ensureQueryData(firstBrand));
    if (!brand && values.visibility === 'owner') throw ofField('brandOwnerId', t('form.brandRequired'));
    // The server refuses parents out of sight, also the present one: it is left as it is.
    const keepsParent = !values.parentId && typeof stored?.parentId === 'number' && stored.parent === undefined;
    const change: TagChange = {
      label: values.label.trim(),
      scope: values.scope,
      visibility: values.visibility,
      brandOwnerId: brand && Number(brand.value),
      ...(!keepsParent && { parentId: values.parentId && Number(values.parentId.value) }),
    };
    try {
      const id = stored ? Number(stored.id) : await createTag(change);
      if (stored) await unlessChanged(stored.asOf, (seen) => updateTag(id, edited(change, stored), seen));
      return { id, label: change.label, brand: brand?.label };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === CONFLICT) throw ofField('label', t('form.nameTaken'));
      if (error.fieldCodes.parentId?.includes(NOT_POSSIBLE)) throw ofField('parentId', t('form.parentBelow'));
      throw error;
    }
  };

  const { form, submit, saving } = useSavedForm<Values, Tag>({
    initialValues: {
      label: stored?.label ?? missing?.label ?? '',
      scope: stored?.scope ?? missing?.scope ?? 'tag',
      visibility: stored?.visibility ?? 'owner',
      brandOwnerId: missing?.brand ?? chosen(stored?.brandOwnerId, stored?.brand),
      parentId: chosen(stored?.parentId, stored?.parent),
    },
    validate: { label: (label) => (label.trim() === '' ? t('form.nameRequired') : null) },
    save,
    onSaved,
    onKeptTheirs: onCancel,
    changes: stored ? NAMING_TAGS : [tagsKey, OPTIONS_KEY],
  });
  const { scope, visibility, brandOwnerId, parentId } = form.getValues();
  const errors = Object.values(form.errors).map(String);
  const isUsed = stored !== undefined && (stored.uses !== 0 || stored.children.length > 0);

  const searchParents = async (text: string, signal: AbortSignal): Promise<Chosen[]> => {
    const without = stored ? [Number(stored.id), ...stored.children] : [];
    const found = await findTags(scope, text, signal, { without });
    return found.map((tag) => ({ value: tag.id, label: tagWithBrand(tag) }));
  };

  return (
    <ModalForm
      submitLabel={submitLabel}
      saving={saving}
      onCancel={onCancel}
      onSubmit={(event) => {
        setSubmitted(true);
        submit(event);
      }}
    >
      {submitted && <ErrorList title={t('form.nErrors', { count: errors.length })} errors={errors} />}
      <TextInput
        label={t('form.label')}
        withAsterisk
        maxLength={MAX_LABEL_LENGTH}
        data-autofocus
        // Within a modal that is open already, nothing else focuses it.
        autoFocus
        {...form.getInputProps('label')}
      />
      {!missing && (
        <Choice
          label={t('form.scope')}
          description={isUsed ? t('form.scopeFixed') : undefined}
          disabled={isUsed}
          options={SCOPES.map((one) => ({ value: one, label: t(`scope.${one}`) }))}
          value={scope}
          onChange={(next) => form.setValues({ scope: next, parentId: null })}
        />
      )}
      {!missing && <VisibilityChoice value={visibility} onChange={(next) => form.setFieldValue('visibility', next)} />}
      <AsyncSelect
        label={t('form.brand')}
        data-path="brandOwnerId"
        search={searchBrandsOfTags}
        depends={['of tags']}
        value={brandOwnerId ?? (stored ? null : (first ?? null))}
        error={form.errors.brandOwnerId}
        onChange={(brand) => form.setFieldValue('brandOwnerId', brand)}
      />
      {!missing && (
        <AsyncSelect
          // Forgets the text and the options of another type.
          key={scope}
          label={t('form.parent')}
          data-path="parentId"
          description={t('form.parentHint')}
          search={searchParents}
          depends={[scope, stored?.id]}
          value={parentId}
          error={form.errors.parentId}
          onChange={(parent) => form.setFieldValue('parentId', parent)}
        />
      )}
    </ModalForm>
  );
}

/** The choice of who sees the tag. Renders nothing unless the user is an administrator. */
function VisibilityChoice({ value, onChange }: { value: TagVisibility; onChange(value: TagVisibility): void }) {
  const { t } = useTranslation('tags');
  if (!isAdmin(useMe())) return null;
  return (
    <Choice
      label={t('form.visibility')}
      description={t(`form.visibleTo.${value}`)}
      options={VISIBILITIES.map((one) => ({ value: one, label: t(`visibility.${one}`) }))}
      value={value}
      onChange={onChange}
    />
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  description: ReactNode;
  disabled?: boolean;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange(value: Value): void;
}

/** A labelled choice between few values, one of which is always chosen. `description` is shown below it. */
function Choice<Value extends string>({ label, description, options, onChange, ...control }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div>
      <Input.Label id={id} component="span" display="block" mb={4}>
        {label}
      </Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        data={options.map((option) => ({
          value: option.value,
          label: <span className="sentence">{option.label}</span>,
        }))}
        onChange={(key) => {
          const next = options.find(({ value }) => value === key);
          if (next) onChange(next.value);
        }}
        {...control}
      />
      {description && <Input.Description mt={4}>{description}</Input.Description>}
    </div>
  );
}
