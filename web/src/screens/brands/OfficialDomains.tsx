import { Button, Group, Loader, Modal, Stack, TagsInput } from '@mantine/core';
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import {
  changeOfficialDomains,
  officialDomainsQuery,
  type RejudgedCases as Rejudged,
  rejudgedCasesQuery,
} from '~/api/queries/officialDomains';
import { newOperation } from '~/api/queries/undo';
import { isDomain } from '~/lib/validation';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
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

/** What shows the official domains of a brand: the server sets open cases against them to ignored. */
const shownBy = (brandId: number): QueryKey[] => [officialDomainsQuery(brandId).queryKey, ...NAMING_TAGS];

/**
 * The form of the domains, filled with the `stored` ones. Entries that are no domains are dropped and named below the field. A saved change can be undone;
 * the ignored cases of the domains that were taken away are shown then. Lists that show tags and cases are refreshed after each attempt.
 */
function Editor({ brand, stored, onClose }: Props & { stored: readonly string[] }) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const id = Number(brand.id);
  const [domains, setDomains] = useState(stored);
  const [dropped, setDropped] = useState<readonly string[]>([]);
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
      const operation = newOperation();
      await changeOfficialDomains(id, added, removed, operation);
      return { cases, operation };
    },
    onSuccess: ({ cases, operation }) => {
      const inModal = cases !== undefined && cases.data.ignored > 0;
      offerUndo({
        operation,
        text: t('domains.updated'),
        changes: shownBy(id),
        inModal,
        ...(inModal && { onUndone: onClose }),
      });
      if (inModal) setStay(cases);
      else onClose();
    },
    onError: (error) => toast.error(t('domains.failed'), errorText(error, common)),
    onSettled: () => Promise.all(shownBy(id).map((queryKey) => queries.invalidateQueries({ queryKey }))),
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
