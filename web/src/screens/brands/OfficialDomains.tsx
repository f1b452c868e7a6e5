import { Alert, Button, Group, List, Loader, Modal, Stack, TagsInput, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import {
  changeOfficialDomains,
  type DomainFailures,
  officialDomainsQuery,
  type RejudgedCases as Rejudged,
  rejudgedCasesQuery,
} from '~/api/queries/officialDomains';
import { isDomain } from '~/lib/validation';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { IgnoredCases, RejudgedCases } from './RejudgedCases';

/** The server's limit. */
const MAX_DOMAINS = 500;

/** Of typed and pasted domains; a pasted column has one a line. */
const SEPARATORS = [',', ';', '\n', '\r', '\t'];
const SEPARATOR = /[,;\n\r\t]/;

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
 * not be linked or unlinked it names them and stays open, and it shows the ignored cases of the domains that were taken away. Lists that show tags and
 * cases are refreshed after each attempt.
 */
function Editor({ brand, stored, onClose }: Props & { stored: readonly string[] }) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const id = Number(brand.id);
  const [domains, setDomains] = useState(stored);
  const [dropped, setDropped] = useState<readonly string[]>([]);
  const [failures, setFailures] = useState<DomainFailures>();
  const [stay, setStay] = useState<Rejudged>();
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
    mutationFn: async () => {
      // Before the change: afterwards no removed domain says which cases it covered. Without an answer the change is made all the same.
      const asked = removed.length > 0 ? queries.fetchQuery(rejudgedCasesQuery(id, added, removed)) : undefined;
      const cases = await asked?.catch(() => undefined);
      return { cases, failed: await changeOfficialDomains(id, added, removed) };
    },
    onSuccess: ({ cases, failed }) => {
      if (failed.link.length + failed.unlink.length > 0) {
        setFailures(failed);
        toast.error(t('domains.failed'));
        return;
      }
      toast.success(t('domains.updated'));
      if (cases && cases.data.ignored > 0) setStay(cases);
      else onClose();
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

  if (stay) {
    return (
      <Stack>
        <IgnoredCases brand={brand} cases={stay} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus autoFocus>
            {common('close')}
          </Button>
        </Group>
      </Stack>
    );
  }
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
        <RejudgedCases brand={brand} added={added} removed={removed} />
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

/** The entries of a typed or pasted text as hosts are spelled: in lower case, without `www.`. */
const splitDomains = (text: string): string[] =>
  text
    .split(SEPARATOR)
    .map((entry) =>
      entry
        .trim()
        .toLowerCase()
        .replace(/^www\./, ''),
    )
    .filter((entry) => entry !== '');

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
