import { List, ScrollArea, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import { type RejudgedCases as Rejudged, rejudgedCasesQuery } from '~/api/queries/officialDomains';
import { useFormats } from '~/ui/useFormats';

/** Wait after a change before its cases are counted. */
const CASES_DELAY_MS = 500;

const LIST_HEIGHT = 180;

/** The brand as far as its cases need it. */
type NamedBrand = Pick<BrandRow, 'id' | 'label'>;

interface Props {
  brand: NamedBrand;
  added: readonly string[];
  removed: readonly string[];
}

/**
 * What a change of official domains does to cases, before it is saved: how many open ones become ignored, and which ignored ones stay so. Counts again
 * shortly after each change; says so when they could not be counted, and renders nothing without a change.
 */
export function RejudgedCases({ brand, added, removed }: Props) {
  const { t } = useTranslation('brands');
  // A text, since a new object would start the delay again at every render.
  const [typed] = useDebouncedValue(JSON.stringify({ added, removed }), CASES_DELAY_MS);
  const asked: Pick<Props, 'added' | 'removed'> = JSON.parse(typed);
  const { data, isError } = useQuery({
    ...rejudgedCasesQuery(Number(brand.id), asked.added, asked.removed),
    enabled: asked.added.length + asked.removed.length > 0,
    placeholderData: keepPreviousData,
  });
  if (added.length + removed.length === 0) return null;
  return (
    <Stack gap={4} aria-live="polite">
      {isError && <Text size="sm">{t('domains.casesUnknown')}</Text>}
      {data && added.length > 0 && <Text size="sm">{t('domains.openCases', { count: data.data.open })}</Text>}
      {data && removed.length > 0 && <IgnoredCases brand={brand} cases={data} />}
    </Stack>
  );
}

/** How many ignored cases stay ignored after official domains were taken away, and the latest of them, each with a link; nothing without any. */
export function IgnoredCases({ brand, cases }: { brand: NamedBrand; cases: Rejudged }) {
  const { t } = useTranslation('brands');
  const fmt = useFormats();
  const { ignored } = cases.meta;
  if (cases.data.ignored === 0) return null;
  const masters = [...new Set(ignored.map(({ master }) => master))];
  return (
    <>
      <Text size="sm">
        {t('domains.stay', { count: cases.data.ignored })}{' '}
        <Link to="/advertisers" search={ignoredCases(brand, { master: masters })}>
          {t('domains.show')}
        </Link>
      </Text>
      <ScrollArea.Autosize mah={LIST_HEIGHT} type="auto">
        <List size="sm" aria-label={t('domains.ignoredCases')}>
          {ignored.map(({ id, domain, master, country, engine, since }) => (
            <List.Item key={id}>
              <Link
                to="/advertisers"
                search={ignoredCases(brand, {
                  master: [master],
                  ...(country && { country: [country] }),
                  ...(engine && { provider: [engine] }),
                })}
              >
                {domain}
              </Link>
              <Text span inherit tt="capitalize">
                {[country && fmt.country(country), engine, since && fmt.date(since)]
                  .filter(Boolean)
                  .map((word) => ` · ${word}`)
                  .join('')}
              </Text>
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
      {cases.data.ignored > ignored.length && (
        <Text size="sm">{t('preview.more', { count: cases.data.ignored - ignored.length })}</Text>
      )}
    </>
  );
}

/** The search of the list of advertisers that shows the ignored cases of a brand under these filters. */
const ignoredCases = (brand: NamedBrand, filters: Record<string, readonly string[]>) => ({
  brandId: { type: 'inq', value: [Number(brand.id)], labels: [brand.label] },
  status: { type: 'inq', value: ['ignored'] },
  ...Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, { type: 'inq', value: [...value] }])),
});
