import { queryOptions } from '@tanstack/react-query';
import { dayjs, lastDays } from '~/lib/dates';
import { answer, client } from '../client';
import { isAdmin, type Me } from '../session';
import type { Choice } from './choices';
import { readCoverage } from './figures';
import { removeView, savedViewsQuery, saveView } from './savedViews';
import { nameOf, OFFICIAL } from './tags';

/** What a new company needs, in this order: each step is done once its rows are there. */
export const START_STEPS = ['brand', 'domains', 'terms', 'users', 'captures'] as const;
export type StartStep = (typeof START_STEPS)[number];

interface StartBrand {
  id: number;
  label: string;
  /** Only a validated brand gets new terms and opens cases. */
  isValidated: boolean;
  hasDomains: boolean;
}

/** What a company has of what it needs. */
export interface Start {
  company: Choice;
  brands: readonly StartBrand[];
  /** Enabled terms of its brands, or that it may see besides; how many of them have no brand. */
  terms: number;
  withoutBrand: number;
  /** Undefined for readers who do not see users. */
  users: number | undefined;
  /** Valid captures of these terms in the last days. */
  captures: number;
}

/** The steps that are done; of users, only readers who see them know. */
export const doneSteps = ({ brands, terms, users, captures }: Start): Readonly<Record<StartStep, boolean>> => ({
  brand: brands.some(({ isValidated }) => isValidated),
  domains: brands.length > 0 && brands.every(({ hasDomains }) => hasDomains),
  terms: terms > 0,
  users: users === undefined || users > 0,
  captures: captures > 0,
});

/** The days in which captures count, and the terms whose captures do: enough to see the first ones. */
const DAYS = 30;
const MOST_TERMS = 100;
const REFRESH_MS = 10_000;
const NEWEST = 20;

export const startKey = ['start'] as const;

interface StoredCompany {
  id?: number;
  name?: string | null;
  label?: string | null;
  totalViews?: number | null;
  brands?: { id: number; name?: string | null; label?: string | null; validated?: boolean | null }[];
}

const companyOf = (stored: StoredCompany): Choice => ({
  value: Number(stored.id),
  label: nameOf(stored) ?? String(stored.id),
});

/** The newest company accounts: whether each has a brand, and whether ads were seen for it. */
export const newestCompaniesQuery = queryOptions({
  queryKey: [...startKey, 'newest'],
  queryFn: async ({ signal }): Promise<(Choice & { hasBrand: boolean; hasViews: boolean })[]> => {
    const filter = JSON.stringify({ include: ['brands'], order: 'id DESC', limit: NEWEST });
    const found = await answer(client.GET('/api/CompanyAccounts', { params: { query: { filter } }, signal }));
    return (found as StoredCompany[]).map((stored) => ({
      ...companyOf(stored),
      hasBrand: (stored.brands ?? []).length > 0,
      hasViews: (stored.totalViews ?? 0) > 0,
    }));
  },
});

/** What a company has, read from its rows; asked again and again until its first capture. */
export const startQuery = (companyId: number, me: Me) =>
  queryOptions({
    queryKey: [...startKey, 'company', companyId],
    queryFn: async ({ signal }): Promise<Start> => {
      const stored = (await answer(
        client.GET('/api/CompanyAccounts/{id}', {
          params: { path: { id: companyId }, query: { filter: JSON.stringify({ include: ['brands'] }) } },
          signal,
        }),
      )) as StoredCompany;
      const brands = stored.brands ?? [];
      const ids = brands.map(({ id }) => id);
      const [withDomains, terms, users] = await Promise.all([
        brandsWithDomains(ids, signal),
        termsOf(companyId, ids, signal),
        isAdmin(me) ? countUsers(companyId, signal) : undefined,
      ]);
      return {
        company: companyOf(stored),
        brands: brands.map((brand) => ({
          id: brand.id,
          label: nameOf(brand) ?? String(brand.id),
          isValidated: brand.validated === true,
          hasDomains: withDomains.has(brand.id),
        })),
        users,
        ...terms,
      };
    },
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data && state.data.terms > 0 && state.data.captures === 0 ? REFRESH_MS : false,
  });

/** The brands of these that have an official domain. */
async function brandsWithDomains(ids: readonly number[], signal: AbortSignal): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const filter = JSON.stringify({
    where: { scope: 'tag', name: OFFICIAL, brandOwnerId: { inq: ids } },
    include: [{ relation: 'dealers', scope: { fields: ['id'], limit: 1 } }],
  });
  const found = await answer(client.GET('/api/Categories', { params: { query: { filter } }, signal }));
  const tags = found as { brandOwnerId?: number | null; dealers?: unknown[] }[];
  return new Set(tags.filter(({ dealers = [] }) => dealers.length > 0).map(({ brandOwnerId }) => Number(brandOwnerId)));
}

/** How many enabled terms a company sees, how many of these have no brand, and the captures of the newest. */
async function termsOf(companyId: number, brands: readonly number[], signal: AbortSignal) {
  const seen = { or: [{ brandId: { inq: brands } }, { canBeAccessBy: { inq: [companyId] } }] };
  const where = { and: [{ state: 'enabled' }, seen] };
  const count = async (condition: object) => {
    const query = { where: JSON.stringify(condition) };
    return (await answer(client.GET('/api/Terms/count', { params: { query }, signal }))).count;
  };
  const filter = JSON.stringify({ where, fields: ['id'], order: 'id DESC', limit: MOST_TERMS });
  const [terms, withoutBrand, newest] = await Promise.all([
    count(where),
    count({ and: [where, { brandId: null }] }),
    answer(client.GET('/api/Terms', { params: { query: { filter } }, signal })),
  ]);
  return {
    terms,
    withoutBrand,
    captures: await countCaptures(
      newest.map(({ id }) => Number(id)),
      signal,
    ),
  };
}

async function countUsers(companyId: number, signal: AbortSignal): Promise<number> {
  const where = JSON.stringify({ companyAccountId: companyId });
  return (await answer(client.GET('/api/UserAccounts/count', { params: { query: { where } }, signal }))).count;
}

async function countCaptures(terms: readonly number[], signal: AbortSignal): Promise<number> {
  if (terms.length === 0) return 0;
  const date = { type: 'between', value: lastDays(DAYS, dayjs()) } as const;
  const { data } = await readCoverage({ date, termId: { type: 'inq', value: terms } }, signal);
  return data.valid;
}

/** Where the server keeps, as a view of each user, which companies this guide is not to be offered for now. */
const START_PATH = '/start';

/** The companies that the user said 'not now' of, each with the id to take it back by. */
export const postponedQuery = savedViewsQuery(START_PATH);

export const postpone = async (companyId: number): Promise<void> =>
  void (await saveView({ name: String(companyId), path: START_PATH, search: {}, columns: {}, shared: false }));

export const resume = (viewId: number): Promise<void> => removeView(viewId);
