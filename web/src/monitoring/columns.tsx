import type { ColDef } from 'ag-grid-community';
import type { ParseKeys } from 'i18next';
import type { Formats } from '~/lib/formats';
import type { Counter, Tools } from '~/list/types';
import { Brand, type Cell, Countries, DomainLink } from './cells';

type Key = Extract<ParseKeys<['monitoring']>, `monitoring:${string}`>;

const BrandCell = ({ data }: Cell<{ brand?: string | null }>) => data && <Brand row={data} />;
const CountriesCell = ({ data, context }: Cell<{ countries: readonly string[] }>) =>
  data && <Countries row={data} tools={context} />;
const DomainCell = ({ data, context }: Cell<{ id: string; domain: string; partner?: string | null }>) =>
  data && <DomainLink row={data} tools={context} />;

/** A right-aligned column of counts; a dash where a row has none. */
export const countColumn = <Field extends string>(colId: Field, headerName: string, width: number, fmt: Formats) =>
  ({
    colId,
    headerName,
    type: 'rightAligned',
    width,
    field: colId,
    valueFormatter: ({ value }) => (typeof value === 'number' ? fmt.count(value) : '–'),
  }) satisfies ColDef;

/** The columns that several lists of ads have. A list spreads one to give it another width. */
export const adColumns = ({ t, fmt }: Tools<Key>) =>
  ({
    countries: {
      colId: 'countries',
      headerName: t('monitoring:column.countries'),
      width: 88,
      field: 'countries',
      cellRenderer: CountriesCell,
    },
    domain: {
      colId: 'domain',
      headerName: t('monitoring:column.domain'),
      flex: 5,
      minWidth: 224,
      field: 'domain',
      cellRenderer: DomainCell,
    },
    brand: {
      colId: 'brand',
      headerName: t('monitoring:column.brand'),
      flex: 1,
      minWidth: 90,
      field: 'brand',
      cellRenderer: BrandCell,
    },
    nbAds: countColumn('nbAds', t('monitoring:column.nbAds'), 68, fmt),
    nbViews: countColumn('nbViews', t('monitoring:column.nbViews'), 76, fmt),
    /** Needs the list's own `tagsCell` as its `cellRenderer`. */
    tags: {
      colId: 'tags',
      headerName: t('monitoring:column.tags'),
      flex: 2,
      minWidth: 116,
      field: 'categories',
    },
  }) as const;

/** Ads and views over all pages of a list. */
export const adCounters = (
  { totalAds, totalViews }: { totalAds: number; totalViews: number },
  { t, fmt }: Tools<Key>,
): Counter[] => [
  { key: 'ads', value: fmt.count(totalAds), label: t('monitoring:counter.ads', { count: totalAds }) },
  { key: 'views', value: fmt.count(totalViews), label: t('monitoring:counter.views', { count: totalViews }) },
];
