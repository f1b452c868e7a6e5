import { Checkbox, Radio, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { rejudgedCasesQuery } from '~/api/queries/officialDomains';
import { addPartner, changePartner, type Partner, partnersQuery } from '~/api/queries/partners';
import { isDomain } from '~/lib/validation';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { ModalForm } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';

/** The server's limits. */
const MOST_WORDS = 50;
const LONGEST_WORD = 80;
const LONGEST_NOTE = 5_000;

/** Of typed and pasted words; a pasted column has one a line. */
const SEPARATORS = [',', ';', '\n', '\r', '\t'];
const SEPARATOR = /[,;\n\r\t]/;

const CASES_DELAY_MS = 500;

const KINDS = ['partner', 'reseller'] as const;
type Kind = (typeof KINDS)[number];

interface PartnerValues extends Record<string, unknown> {
  domain: string;
  kind: Kind;
  forbiddenWords: string[];
  belowOwn: boolean;
  /** A day as the browser's field has it; empty for no end. */
  endsOn: string;
  note: string;
}

const valuesOf = (partner: Partner | null): PartnerValues => ({
  domain: partner?.domain ?? '',
  kind: KINDS.find((kind) => kind === partner?.kind) ?? 'partner',
  forbiddenWords: partner?.forbiddenWords ?? [],
  belowOwn: partner?.belowOwn ?? false,
  endsOn: partner?.endsOn ?? '',
  note: partner?.note ?? '',
});

/** A typed domain as hosts are spelled: in lower case, without `www.`. */
const hostOf = (typed: string): string =>
  typed
    .trim()
    .toLowerCase()
    .replace(/^www\./, '');

/** The words of a typed or pasted text. */
const splitWords = (text: string): string[] =>
  text
    .split(SEPARATOR)
    .map((word) => word.trim())
    .filter((word) => word !== '');

interface Props {
  brandId: number;
  /** The stored partner; null for a new one. */
  partner: Partner | null;
  /** Called when it is saved, and when the user cancels. */
  onDone(): void;
}

/** The form of a new or stored partner of a brand. Says before it is saved how many open cases against the domain stay open. */
export function PartnerForm({ brandId, partner, onDone }: Props) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const { form, submit, saving } = useSavedForm<PartnerValues, Partner>({
    initialValues: valuesOf(partner),
    validate: {
      domain: (domain) => (isDomain(hostOf(domain)) ? null : t('partners.noDomain')),
      forbiddenWords: (words) => {
        if (words.length > MOST_WORDS) return t('partners.tooManyWords', { count: MOST_WORDS });
        return words.some((word) => [...word].length > LONGEST_WORD)
          ? t('form.tooLong', { count: LONGEST_WORD })
          : null;
      },
      note: (note) => ([...note].length > LONGEST_NOTE ? t('form.tooLong', { count: LONGEST_NOTE }) : null),
    },
    save: ({ domain, endsOn, note, ...rest }) => {
      const body = { ...rest, domain: hostOf(domain), endsOn: endsOn || null, note: note || null };
      return partner ? changePartner(brandId, partner, body) : addPartner(brandId, body);
    },
    onSaved: () => {
      toast.success(t('partners.saved'));
      onDone();
    },
    changes: [partnersQuery(brandId).queryKey, ...NAMING_TAGS],
  });
  return (
    <ModalForm submitLabel={common('save')} saving={saving} onSubmit={submit} onCancel={onDone}>
      <TextInput
        label={t('partners.domain')}
        description={t('partners.domainHint')}
        placeholder="partner.example"
        data-autofocus
        autoFocus
        {...form.getInputProps('domain')}
      />
      <OpenCases brandId={brandId} domain={hostOf(form.getValues().domain)} />
      <Radio.Group label={t('partners.kind')} {...form.getInputProps('kind')}>
        {KINDS.map((kind) => (
          <Radio key={kind} value={kind} label={t(`partners.${kind}`)} mt="xs" />
        ))}
      </Radio.Group>
      <TextInput
        type="date"
        label={t('partners.endsOn')}
        description={t('partners.endsOnHint')}
        {...form.getInputProps('endsOn')}
      />
      <TagsInput
        label={t('partners.words')}
        description={t('partners.wordsHint')}
        {...form.getInputProps('forbiddenWords')}
        splitChars={SEPARATORS}
        onChange={(words) => form.setFieldValue('forbiddenWords', [...new Set(words.flatMap(splitWords))])}
      />
      <Checkbox
        label={t('partners.belowOwn')}
        description={t('partners.belowOwnHint')}
        {...form.getInputProps('belowOwn', { type: 'checkbox' })}
      />
      <Textarea label={t('partners.note')} autosize minRows={2} maxRows={6} {...form.getInputProps('note')} />
    </ModalForm>
  );
}

/** How many open cases of the brand against a domain stay open when it becomes a partner; nothing without any, and until it is known. */
function OpenCases({ brandId, domain }: { brandId: number; domain: string }) {
  const { t } = useTranslation('brands');
  const [asked] = useDebouncedValue(domain, CASES_DELAY_MS);
  const { data } = useQuery({ ...rejudgedCasesQuery(brandId, [asked], []), enabled: isDomain(asked) });
  if (!data || data.data.open === 0 || asked !== domain) return null;
  return (
    <Text size="sm" aria-live="polite">
      {t('partners.openStay', { count: data.data.open })}
    </Text>
  );
}
