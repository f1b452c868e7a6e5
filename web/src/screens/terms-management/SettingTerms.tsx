import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { searchBrands, searchTags } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import { cityKey, namesakesQuery } from '~/api/queries/countries';
import {
  MOST_TERMS,
  type SettingTermRow,
  searchPlaces,
  settingTermsKey,
  settingTermsQuery,
  TERM_STATES,
  WITH_SHOPPING,
  wholeTermList,
} from '~/api/queries/settingTerms';
import { isAdmin, useMe } from '~/api/session';
import { AUTO, autoEvery } from '~/lib/frequency';
import { FIRST_PAGE } from '~/lib/listSearch';
import { placeAndRegion } from '~/lib/regions';
import { defineList, type Tools } from '~/list/types';
import { Brand, type Cell, Engine } from '~/monitoring/cells';
import shared from '~/monitoring/monitoring.module.css';
import { BulkTags, EditableTags, tagsCell } from '~/monitoring/tags/Tags';
import type { Taggable } from '~/monitoring/tags/taggable';
import { StatusBadge } from '~/ui/indicators';
import { Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import { CapacityNotices } from './CapacityNotices';
import { intervalText } from './intervalText';
import { NewTermsButtons } from './NewTermsButtons';
import { Runs } from './Runs';
import styles from './SettingTerms.module.css';
import { BulkActions, FrequencyButton, STATE_ICONS, TermMenu } from './TermActions';
import { KEYWORD_TYPES, MOST_KEYWORDS } from './terms';

const taggableTerms: Taggable<SettingTermRow> = {
  scope: 'term',
  listKey: settingTermsKey,
  nameOf: ({ term }) => term,
  brandOf: ({ brand }) => brand,
  entitiesOf: async (rows) => new Map(rows.map(({ id, termId }) => [id, termId])),
};

type TermCell = Cell<SettingTermRow>;

const TagsCell = tagsCell(taggableTerms);
const WordsCell = ({ data }: TermCell) => data && <Words row={data} />;
const RegionCell = ({ data, context }: TermCell) => data && <Region row={data} tools={context} />;
const PlaceCell = ({ data, context }: TermCell) => data && <Place row={data} tools={context} />;
const EngineCell = ({ data, context }: TermCell) => data && <Engine row={data} tools={context} iconOnly />;
const BrandCell = ({ data }: TermCell) => data && <BrandName row={data} />;
const TypeCell = ({ data, context }: TermCell) => data && <KeywordType row={data} tools={context} />;
const FrequencyCell = ({ data }: TermCell) => data && <Frequency row={data} />;
const StateCell = ({ data, context }: TermCell) => data && <State row={data} tools={context} />;
const AccessCell = ({ data, context }: TermCell) => data && <Access row={data} tools={context} />;
const RunsCell = ({ data }: TermCell) => data && <Runs row={data} />;
const MenuCell = ({ data }: TermCell) => data && <TermMenu row={data} />;

export const settingTermsList = defineList<
  ['settingTerms', 'monitoring', 'market', 'common', 'list', 'home', 'capacity']
>()<SettingTermRow, { total: number }>({
  path: '/terms-management',
  ns: ['settingTerms', 'monitoring', 'market', 'common', 'list', 'home', 'capacity'],
  title: 'common:title.settingTerms',
  filters: {
    brandId: {
      kind: 'asyncChoice',
      label: 'filter.brand',
      group: 'group.term',
      quick: true,
      search: searchBrands,
      exclude: true,
    },
    term: { kind: 'text', label: 'filter.keywords', group: 'group.term', quick: true },
    canBeAccessBy: {
      kind: 'asyncChoice',
      label: 'filter.companies',
      group: 'group.term',
      quick: true,
      search: searchCompanies,
    },
    engine: {
      kind: 'choice',
      label: 'filter.engine',
      group: 'group.capture',
      quick: true,
      options: [
        { value: 'GOOGLE', label: 'market:engine.google' },
        { value: 'BING', label: 'market:engine.bing' },
      ],
    },
    localizationId: {
      kind: 'asyncChoice',
      label: 'filter.localization',
      group: 'group.capture',
      quick: true,
      search: searchPlaces,
      exclude: true,
    },
    state: {
      kind: 'choice',
      label: 'filter.state',
      group: 'group.capture',
      quick: true,
      options: TERM_STATES.map((state) => ({ value: state, label: `state.${state}` as const })),
    },
    categories: {
      kind: 'asyncChoice',
      label: 'filter.tag',
      group: 'group.term',
      quick: true,
      search: searchTags('term'),
    },
    keywordType: {
      kind: 'choice',
      label: 'filter.keywordType',
      group: 'group.term',
      quick: true,
      options: KEYWORD_TYPES.map((type) => ({ value: type, label: `market:keywordType.${type}` as const })),
    },
    campaign: {
      kind: 'choice',
      label: 'filter.campaign',
      group: 'group.capture',
      quick: true,
      single: true,
      options: [
        { value: 'onlyAds', label: 'campaign.onlyAds' },
        { value: WITH_SHOPPING, label: 'campaign.adsShopping' },
      ],
    },
  },
  sorts: ['id', 'term', 'region', 'engine', 'keywordType', 'every', 'state'],
  sortMenu: () => [{ order: 'id', label: 'newest' }],
  perPage: [25, 30, 100, 200, 500, 'all'],
  // The list shows all terms that were created at once.
  mostPerPage: MOST_KEYWORDS,
  defaults: () => ({ page: FIRST_PAGE, perPage: 25, order: 'id', direction: 'DESC', filters: {} }),
  columns: ({ t }) => [
    { colId: 'term', headerName: t('column.term'), field: 'term', flex: 3, minWidth: 120, cellRenderer: WordsCell },
    { colId: 'localization', headerName: t('column.localization'), width: 112, field: 'city', cellRenderer: PlaceCell },
    { colId: 'region', headerName: t('column.region'), width: 84, field: 'region', cellRenderer: RegionCell },
    { colId: 'engine', headerName: t('column.engine'), width: 72, field: 'engine', cellRenderer: EngineCell },
    { colId: 'brand', headerName: t('column.brand'), flex: 2, minWidth: 92, field: 'brand', cellRenderer: BrandCell },
    {
      colId: 'keywordType',
      headerName: t('column.keywordType'),
      width: 104,
      field: 'keywordType',
      cellRenderer: TypeCell,
    },
    {
      colId: 'tags',
      headerName: t('column.tags'),
      flex: 2,
      minWidth: 96,
      field: 'categories',
      cellRenderer: TagsCell,
    },
    // The whole row: what auto comes to depends on several fields.
    {
      colId: 'every',
      headerName: t('column.every'),
      width: 148,
      valueGetter: ({ data }) => data,
      cellRenderer: FrequencyCell,
    },
    { colId: 'state', headerName: t('column.state'), width: 116, field: 'state', cellRenderer: StateCell },
    { colId: 'runs', headerName: t('column.runs'), width: 146, field: 'termId', cellRenderer: RunsCell },
    {
      colId: 'companies',
      headerName: t('column.companies'),
      flex: 2,
      minWidth: 100,
      field: 'companies',
      cellRenderer: AccessCell,
    },
    {
      colId: 'actions',
      headerName: t('column.actions'),
      width: 72,
      resizable: false,
      valueGetter: ({ data }) => data,
      cellRenderer: MenuCell,
    },
  ],
  redundant: (_filters, me) => (isAdmin(me) ? [] : ['localization', 'region', 'companies', 'actions']),
  query: settingTermsQuery,
  counters: ({ total }, { t, fmt }) => [
    { key: 'total', value: fmt.count(total), label: t('counter', { count: total }) },
  ],
  total: ({ total }) => total,
  rowName: ({ term }) => term,
  rowText: (row) =>
    [
      row.term,
      row.city,
      row.region,
      row.engine,
      row.brand?.label,
      ...row.categories.map(({ label }) => label),
      ...row.companies.map(({ label }) => label),
    ]
      .filter(Boolean)
      .join(' '),
  exportName: 'setting-terms',
  card: TermCard,
  selectable: isAdmin,
  bulk: (props) => (
    <BulkActions {...props}>
      <BulkTags {...props} taggable={taggableTerms} />
    </BulkActions>
  ),
  whole: { where: wholeTermList, most: MOST_TERMS, offer: 'whole.offer' },
  notice: CapacityNotices,
  actions: NewTermsButtons,
});

interface PartProps {
  row: SettingTermRow;
  tools: Tools;
}

function Words({ row: { term } }: { row: SettingTermRow }) {
  return (
    <span className={`${shared.clamp} ${styles.term}`} title={term}>
      {term}
    </span>
  );
}

function Region({ row: { region }, tools }: PartProps) {
  const name = region && tools.fmt.place(region);
  return (
    <span className={shared.clamp} title={name}>
      {name || '–'}
    </span>
  );
}

/** The country of a term as a flag, and its city, with its region where several are called so; a dash if it has neither. */
function Place({ row, tools }: PartProps) {
  const { i18n } = useTranslation();
  const { data: namesakes } = useQuery(namesakesQuery);
  if (row.country === '' && row.city === '') return <>–</>;
  const hasNamesake = namesakes?.has(cityKey(row.country, row.city)) ?? false;
  const whole = placeAndRegion(row.city, row.regionOfCity, i18n.language);
  return (
    <span className={styles.place}>
      <Flag code={row.country} label={tools.fmt.country(row.country)} />
      <span className={shared.clamp} title={whole}>
        {hasNamesake ? whole : tools.fmt.place(row.city)}
      </span>
    </span>
  );
}

/** The brand; says where there is none, since such a term is seen by few. */
function BrandName({ row }: { row: SettingTermRow }) {
  const { t } = useTranslation('settingTerms');
  return row.brand ? (
    <Brand row={{ brand: row.brand.label }} />
  ) : (
    <span className={`${shared.clamp} ${styles.none}`}>{t('noBrand')}</span>
  );
}

function KeywordType({ row, tools }: PartProps) {
  return <span>{tools.t(`market:keywordType.${row.keywordType}`, { defaultValue: row.keywordType })}</span>;
}

/** A frequency in words, and for auto how often that is now for this row; a dash where the row has none. */
function useFrequencyText({ every, monthlySearches, searchConvertRate }: SettingTermRow): string {
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  if (every === null) return '–';
  const text = intervalText(every, { t, fmt });
  if (every !== AUTO) return text;
  return t('autoNow', { auto: text, span: fmt.span(autoEvery(monthlySearches, searchConvertRate) / 1_000) });
}

/** The frequency; for administrators a button that changes it. */
function Frequency({ row }: { row: SettingTermRow }) {
  const text = useFrequencyText(row);
  return isAdmin(useMe()) ? <FrequencyButton row={row} text={text} /> : text;
}

const BADGES = {
  enabled: { tone: 'good' },
  disabled: { tone: 'warn', icon: STATE_ICONS.disabled },
  archived: { tone: 'idle', icon: STATE_ICONS.archived },
} as const;

function State({ row, tools }: PartProps) {
  return <StatusBadge {...BADGES[row.state]}>{tools.t(`settingTerms:state.${row.state}`)}</StatusBadge>;
}

/** Company accounts named; the rest are counted. */
const NAMED_COMPANIES = 1;

/** The company accounts with access to the term: the first [NAMED_COMPANIES] by name, the others counted; words if there are none. */
function Access({ row: { companies }, tools }: PartProps) {
  if (companies.length === 0) return <span className={styles.none}>{tools.t('settingTerms:brandOnly')}</span>;
  const rest = companies.length - NAMED_COMPANIES;
  return (
    <span className={styles.companies} title={companies.map(({ label }) => label).join(', ')}>
      {companies.slice(0, NAMED_COMPANIES).map(({ value, label }) => (
        <span key={value} className={styles.company}>
          {label}
        </span>
      ))}
      {rest > 0 && <span className={styles.rest}>+{tools.fmt.count(rest)}</span>}
    </span>
  );
}

/** A term as a card, for narrow screens, with its menu and its tags to edit. Columns in `tools.redundant` are left out. */
function TermCard({ row, tools }: PartProps) {
  const { redundant = [] } = tools;
  const shows = (column: string) => !redundant.includes(column);
  return (
    <article className={shared.card}>
      <header className={shared.head}>
        <h2 className={styles.title}>{row.term}</h2>
        {shows('actions') && <TermMenu row={row} />}
      </header>
      <div className={styles.line}>
        <State row={row} tools={tools} />
        <Engine row={row} tools={tools} />
        {shows('localization') && <Place row={row} tools={tools} />}
        {shows('region') && row.region && <span>{tools.fmt.place(row.region)}</span>}
      </div>
      <div className={styles.line}>
        <BrandName row={row} />
        <KeywordType row={row} tools={tools} />
      </div>
      <Frequency row={row} />
      <Runs row={row} />
      {shows('companies') && <Access row={row} tools={tools} />}
      <EditableTags row={row} taggable={taggableTerms} />
    </article>
  );
}
