import { Alert, Button, Group, List, Loader, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertCircle } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import {
  changeOfficialDomains,
  concernedCasesQuery,
  type DomainFailures,
  officialDomainsQuery,
} from '~/api/queries/officialDomains';
import { isDomain } from '~/lib/validation';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useReturnFocus } from '~/ui/useReturnFocus';

/** The server's limit. */
const MAX_DOMAINS = 500;

/** Of typed and pasted domains; a pasted column has one a line. */
const SEPARATORS = [',', ';', '\n', '\r', '\t'];
const SEPARATOR = /[,;\n\r\t]/;

const CASES_DELAY_MS = 500;

const WIDTH = 620;

/** The brand as far as its domains need it. */
type NamedBrand = Pick<BrandRow, 'id' | 'label'>;

interface Props {
  brand: NamedBrand;
  onClose(): void;
}

/**
 * A modal that loads the domains that belong to a brand and edits them. `onClose` is called once all changes are saved, and when the user cancels.
 */
export function OfficialDomains({ brand, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const { data, isError, refetch } = useQuery(officialDomainsQuery(Number(brand.id)));
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={t('domains.title', { brand: brand.label })}
      size={WIDTH}
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      {data && <Editor brand={brand} stored={data} onClose={onClose} />}
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
    </Modal>
  );
}

/**
 * The form of the domains, filled with the `stored` ones. Entries that are no domains are dropped and named below the field. If some domains could
 * not be linked or unlinked it names them and stays open. Lists that show tags and cases are refreshed after each attempt.
 */
function Editor({ brand, stored, onClose }: Props & { stored: readonly string[] }) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const id = Number(brand.id);
  const [domains, setDomains] = useState(stored);
  const [dropped, setDropped] = useState<readonly string[]>([]);
  const [failures, setFailures] = useState<DomainFailures>();
  const added = domains.filter((domain) => !stored.includes(domain));
  const removed = stored.filter((domain) => !domains.includes(domain));
  const tooMany = domains.length > MAX_DOMAINS;

  const put = (values: readonly string[]) => {
    const entries = values.flatMap(splitDomains);
    setDomains([...new Set(entries.filter((entry) => stored.includes(entry) || isDomain(entry)))]);
    // Earlier ones stay in sight: what was typed is not lost when the next one is added.
    const none = entries.filter((entry) => !stored.includes(entry) && !isDomain(entry));
    setDropped((earlier) => [...new Set([...earlier, ...none])]);
  };

  const saving = useMutation({
    mutationFn: () => changeOfficialDomains(id, added, removed),
    onSuccess: (failed) => {
      if (failed.link.length + failed.unlink.length > 0) {
        setFailures(failed);
        toast.error(t('domains.failed'));
        return;
      }
      toast.success(t('domains.updated'));
      onClose();
    },
    onError: (error) => toast.error(t('domains.failed'), errorText(error, common)),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: officialDomainsQuery(id).queryKey }),
        // The server sets open cases against these sites to ignored.
        ...NAMING_TAGS.map((queryKey) => queries.invalidateQueries({ queryKey })),
      ]),
  });

  const problem = tooMany
    ? t('domains.tooMany', { count: MAX_DOMAINS })
    : dropped.length > 0 && t('domains.dropped', { list: dropped.join(', ') });

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack>
        <TagsInput
          label={t('domains.label')}
          description={t('domains.hint')}
          placeholder={domains.length === 0 ? t('domains.placeholder') : undefined}
          splitChars={SEPARATORS}
          value={[...domains]}
          onChange={put}
          error={problem || undefined}
          disabled={saving.isPending}
          data-autofocus
          autoFocus
        />
        <Cases brand={brand} added={added} removed={removed} />
        {failures && <Failures failures={failures} />}
      </Stack>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {common('cancel')}
        </Button>
        <Button
          type="submit"
          loading={saving.isPending}
          disabled={tooMany || (added.length === 0 && removed.length === 0)}
        >
          {common('save')}
        </Button>
      </Group>
    </form>
  );
}

/** The entries of a typed or pasted text, in lower case. */
const splitDomains = (text: string): string[] =>
  text
    .split(SEPARATOR)
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');

interface CasesProps {
  brand: NamedBrand;
  added: readonly string[];
  removed: readonly string[];
}

/**
 * What the change does to cases, before it is saved: how many open ones it concerns, and how many ignored ones stay. Counts again shortly after each
 * change; renders nothing without a change or until it knows.
 */
function Cases({ brand, added, removed }: CasesProps) {
  const { t } = useTranslation('brands');
  // A text, since a new object would start the delay again at every render.
  const [typed] = useDebouncedValue(JSON.stringify({ added, removed }), CASES_DELAY_MS);
  const asked: Pick<CasesProps, 'added' | 'removed'> = JSON.parse(typed);
  const { data } = useQuery({
    ...concernedCasesQuery(Number(brand.id), asked.added, asked.removed),
    enabled: asked.added.length + asked.removed.length > 0,
    placeholderData: keepPreviousData,
  });
  if (!data || added.length + removed.length === 0) return null;
  return (
    <Stack gap={4} aria-live="polite">
      {added.length > 0 && data.open !== undefined && (
        <Text size="sm">{t('domains.openCases', { count: data.open })}</Text>
      )}
      {removed.length > 0 && data.ignored !== undefined && data.ignored > 0 && (
        <Text size="sm">
          {t('domains.stay', { count: data.ignored })}{' '}
          <Link
            to="/advertisers"
            search={{
              brandId: { type: 'inq', value: [Number(brand.id)], labels: [brand.label] },
              status: { type: 'inq', value: ['ignored'] },
              master: { type: 'inq', value: removed },
            }}
          >
            {t('domains.show')}
          </Link>
        </Text>
      )}
    </Stack>
  );
}

/** The domains that could not be linked or unlinked, each group with a heading if it has any. */
function Failures({ failures: { link, unlink } }: { failures: DomainFailures }) {
  const { t } = useTranslation('brands');
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert">
      {link.length > 0 && (
        <>
          <Text size="sm">{t('domains.notLinked', { count: link.length })}</Text>
          <List size="sm">
            {link.map((domain) => (
              <List.Item key={domain}>{domain}</List.Item>
            ))}
          </List>
        </>
      )}
      {unlink.length > 0 && (
        <>
          <Text size="sm">{t('domains.notUnlinked', { count: unlink.length })}</Text>
          <List size="sm">
            {unlink.map((domain) => (
              <List.Item key={domain}>{domain}</List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  );
}
