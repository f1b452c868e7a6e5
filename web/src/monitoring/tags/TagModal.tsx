import {
  Button,
  CloseButton,
  Combobox,
  Group,
  Loader,
  Modal,
  Stack,
  Text,
  TextInput,
  useCombobox,
} from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { advertisersKey } from '~/api/queries/advertisers';
import { countTags, findTags, MOST_TAGS, OFFICIAL, type OfferedTag, type Tag, tagWithBrand } from '~/api/queries/tags';
import { newOperation } from '~/api/queries/undo';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
import { OPTIONS_KEY, useFoundOptions } from '~/ui/useFoundOptions';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { TagForm } from './TagForm';
import {
  brandsOf,
  changeTags,
  type Taggable,
  type TaggedRow,
  type TagOperation,
  updateCachedTags,
  withTag,
} from './taggable';
import styles from './tags.module.css';

interface Props<Row extends TaggedRow> {
  rows: readonly Row[];
  taggable: Taggable<Row>;
  /** `changed` is true when the tags of any row changed. */
  onClose(changed: boolean): void;
}

type View =
  | { kind: 'tags' }
  | { kind: 'create'; label: string }
  | { kind: 'official'; tag: OfferedTag }
  | { kind: 'remove'; tag: Tag };

/**
 * Edits the tags of one or more rows: adds tags (official ones after a confirmation), creates new ones, and removes tags after a
 * confirmation. Each change applies at once, also to the cached pages of the list, and raises toasts; `onClose` says if there was any.
 */
export function TagModal<Row extends TaggedRow>({ rows: initialRows, taggable, onClose }: Props<Row>) {
  useReturnFocus();
  const { t } = useTranslation(['monitoring', 'list']);
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [rows, setRows] = useState(initialRows);
  const [changedAny, setChangedAny] = useState(false);
  const [busy, setBusy] = useState(false);
  const [view, setView] = useState<View>({ kind: 'tags' });

  const [only] = rows;
  const isOne = rows.length === 1;
  const name = isOne && only ? taggable.nameOf(only) : '';
  const present = tagsOf(rows);
  const brands = brandsOf(taggable, rows);
  const [brand, ...others] = brands ?? [];

  const change = async (tag: Tag | OfferedTag, operation: TagOperation) => {
    const affected = rows.filter((row) => {
      const present = row.categories.find(({ id }) => id === tag.id);
      return operation === 'add' ? !present : present && !present.ofOthers;
    });
    if (affected.length === 0) return setView({ kind: 'tags' });
    setBusy(true);
    const undoable = newOperation();
    const { changed, failed, error } = await changeTags(taggable, affected, tag, operation, undoable);
    setBusy(false);
    setView({ kind: 'tags' });
    const { id, label, brand } = tag;
    const showChange = (done: TagOperation) =>
      setRows((current) =>
        current.map((row) => (changed.has(row.id) ? withTag(row, { id, label, brand }, done) : row)),
      );
    showChange(operation);
    if (changed.size > 0) {
      setChangedAny(true);
      updateCachedTags(queries, taggable, changed, { id, label, brand }, operation);
    }
    // The server sets the brand's open cases against these sites to ignored.
    const isOfficial = taggable.scope === 'tag' && label.toLowerCase() === OFFICIAL;
    if (isOfficial) void queries.invalidateQueries({ queryKey: advertisersKey });
    const count = changed.size;
    if (count > 0) {
      offerUndo({
        operation: undoable,
        text: t(operation === 'add' ? 'tags.did.added' : 'tags.did.removed', { tag: tagWithBrand(tag), count }),
        changes: isOfficial ? [taggable.listKey, advertisersKey] : [taggable.listKey],
        inModal: true,
        onUndone: () => showChange(operation === 'add' ? 'remove' : 'add'),
      });
    }
    if (error) toast.error(errorText(error, common));
    if (isOne) {
      if (count > 0) toast.success(operation === 'add' ? t('tags.added') : t('tags.deleted'));
      else if (!error) toast.error(common('generic.error'));
      return;
    }
    if (count > 0) toast.success(operation === 'add' ? t('tags.nAdded', { count }) : t('tags.nRemoved', { count }));
    if (failed > 0) {
      toast.error(
        operation === 'add' ? t('tags.nNotAdded', { count: failed }) : t('tags.nNotRemoved', { count: failed }),
      );
    }
  };

  const title = () => {
    if (view.kind === 'remove') return t('tags.remove');
    if (view.kind === 'create') return t('tags.new');
    if (view.kind === 'official') return t('tags.official');
    return isOne ? t('tags.of', { name }) : t('tags.ofMany', { count: rows.length });
  };

  return (
    <Modal
      opened
      title={title()}
      onClose={() => onClose(changedAny)}
      // A click beside it would lose a tag that is being created.
      closeOnClickOutside={false}
      size="md"
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      {view.kind === 'create' && (
        <TagForm
          missing={{ scope: taggable.scope, label: view.label, brand: others.length === 0 ? brand : undefined }}
          submitLabel={t('tags.createAndAdd')}
          onCancel={() => setView({ kind: 'tags' })}
          onSaved={(tag) => void change(tag, 'add')}
        />
      )}
      {view.kind === 'official' && (
        <ConfirmStep
          text={t('tags.officialQuestion', { tag: view.tag.label, brand: view.tag.brand, name, count: rows.length })}
          confirm={t('tags.addOfficial')}
          busy={busy}
          onCancel={() => setView({ kind: 'tags' })}
          onConfirm={() => change(view.tag, 'add')}
        />
      )}
      {view.kind === 'remove' && (
        <ConfirmStep
          danger
          text={t('tags.removeQuestion', { tag: tagWithBrand(view.tag) })}
          confirm={t('tags.remove')}
          busy={busy}
          onCancel={() => setView({ kind: 'tags' })}
          onConfirm={() => change(view.tag, 'remove')}
        />
      )}
      {view.kind === 'tags' && (
        <Stack>
          <ul className={styles.removableTags}>
            {present.map(({ tag, count, removable }) => (
              <li key={tag.id} className={styles.removableTag}>
                <span>
                  {tagWithBrand(tag)}
                  {!isOne && <span className={styles.owner}> {`${count}/${rows.length}`}</span>}
                </span>
                {removable ? (
                  <CloseButton
                    size="xs"
                    disabled={busy}
                    aria-label={t('tags.removeOne', { tag: tagWithBrand(tag) })}
                    onClick={() => setView({ kind: 'remove', tag })}
                  />
                ) : (
                  <span className={styles.owner}>{t('tags.ofOthers')}</span>
                )}
              </li>
            ))}
          </ul>
          <TagSearch
            scope={taggable.scope}
            brands={brands?.map(({ value }) => Number(value))}
            busy={busy}
            taken={isOne ? present.map(({ tag }) => tag.id) : []}
            onPick={(tag) => (tag.isOfficial ? setView({ kind: 'official', tag }) : void change(tag, 'add'))}
            onCreate={(label) => setView({ kind: 'create', label })}
          />
        </Stack>
      )}
    </Modal>
  );
}

interface ConfirmStepProps {
  text: string;
  confirm: string;
  danger?: boolean;
  busy: boolean;
  onCancel(): void;
  onConfirm(): void;
}

/** A confirmation inside the modal that is already open: a text, a cancel button and a button named `confirm`, red if `danger`. */
function ConfirmStep({ text, confirm, danger, busy, onCancel, onConfirm }: ConfirmStepProps) {
  const { t } = useTranslation('list');
  return (
    <Stack>
      <Text size="sm">{text}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button {...(danger && { color: 'red.9' })} loading={busy} onClick={onConfirm}>
          {confirm}
        </Button>
      </Group>
    </Stack>
  );
}

/** Every tag of the rows, once, with the number of rows that have it, and whether the reader may take it off any of them, sorted by label. */
function tagsOf(rows: readonly TaggedRow[]): { tag: Tag; count: number; removable: boolean }[] {
  const found = new Map<number, { tag: Tag; count: number; removable: boolean }>();
  for (const tag of rows.flatMap(({ categories }) => categories)) {
    const known = found.get(tag.id);
    found.set(tag.id, { tag, count: (known?.count ?? 0) + 1, removable: known?.removable || !tag.ofOthers });
  }
  return [...found.values()].sort((a, b) => a.tag.label.localeCompare(b.tag.label));
}

interface SearchProps {
  scope: Taggable<TaggedRow>['scope'];
  /** Offers only shared tags and those of these brands. */
  brands: readonly number[] | undefined;
  busy: boolean;
  taken: readonly number[];
  onPick(tag: OfferedTag): void;
  onCreate(label: string): void;
}

/** A search box that offers the tags of a scope except those `taken`, and to create one if none found has the typed label. Changes nothing itself. */
function TagSearch({ scope, brands, busy, taken, onPick, onCreate }: SearchProps) {
  const { t } = useTranslation(['monitoring', 'list']);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState('');
  const search = async (query: string, signal: AbortSignal) =>
    (await findTags(scope, query, signal, { brands })).map((tag) => ({ ...tag, value: tag.id }));
  const { options, loading, failed } = useFoundOptions(['tags', scope, brands], search, text);
  const offered = options.filter(({ value }) => !taken.includes(Number(value)));
  const isFull = options.length === MOST_TAGS && !loading;
  const { data: all = 0 } = useQuery({
    queryKey: [...OPTIONS_KEY, 'number of tags', scope, brands, text.trim()],
    queryFn: ({ signal }) => countTags(scope, text.trim(), signal, { brands }),
    enabled: isFull,
  });
  const label = text.trim();
  const isNew = label !== '' && !options.some((option) => option.label.toLowerCase() === label.toLowerCase());

  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(key) => {
        combobox.closeDropdown();
        setText('');
        const picked = offered.find(({ value }) => String(value) === key);
        if (picked) onPick(picked);
        else onCreate(label);
      }}
    >
      <Combobox.Target>
        <TextInput
          aria-label={t('tags.add')}
          placeholder={t('tags.add')}
          value={text}
          disabled={busy}
          data-autofocus
          rightSection={loading || busy ? <Loader size={16} /> : undefined}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={t('tags.add')} mah={240} style={{ overflowY: 'auto' }}>
          {offered.map(({ value, label: name, brand }) => (
            <Combobox.Option key={value} value={String(value)}>
              {name} <span className={styles.owner}>{brand ? t('tags.ofBrand', { brand }) : t('tags.ofAll')}</span>
            </Combobox.Option>
          ))}
          {isNew && !loading && !failed && <Combobox.Option value="new">{t('tags.create', { label })}</Combobox.Option>}
          {offered.length === 0 && !isNew && (
            <Combobox.Empty>
              {failed ? t('list:choiceFailed') : loading ? t('list:searching') : t('list:noResult')}
            </Combobox.Empty>
          )}
          {isFull && all > MOST_TAGS && (
            <Combobox.Footer className={styles.owner}>{t('tags.more', { count: all - MOST_TAGS })}</Combobox.Footer>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
