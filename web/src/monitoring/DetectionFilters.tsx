import { useTranslation } from 'react-i18next';
import type { ListSearch, Where } from '~/lib/listSearch';
import { filterEntries } from '~/list/entries';
import { QuickFilters } from '~/list/FilterBar';
import { useListTexts } from '~/list/useListState';
import { brandFilter, countryFilter, detectionFilters } from '~/monitoring/filters';

const LIST = {
  path: '/domains',
  ns: ['monitoring', 'market'],
  filters: {
    brandID: brandFilter,
    country: countryFilter,
    engine: detectionFilters.engine,
    device: detectionFilters.device,
  },
} as const;

interface Props {
  filters: ListSearch['filters'];
  onChange(name: string, where: Where | undefined): void;
}

/** The filters of a page of figures: brand, country, engine and device, each a button that says what is chosen. */
export function DetectionFilters({ filters, onChange }: Props) {
  const { t } = useTranslation('common');
  const texts = useListTexts(LIST);
  const entries = filterEntries(LIST, filters, filters, texts).map((entry) => ({
    ...entry,
    label: entry.description ? t('labelled', { label: entry.label, value: entry.description }) : entry.label,
  }));
  return <QuickFilters entries={entries} filters={filters} texts={texts} onChange={onChange} />;
}
