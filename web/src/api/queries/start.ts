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
  hasDomains: boolean;
}

/** What a company has of what it needs. */
export interface Start {
  company: Choice;
  brands: readonly StartBrand[];
  /** Enabled terms of its brands, or that it may see besides. */
  terms: number;
  /** Undefined for readers who do not see users. */
  users: number | undefined;
  /** Valid captures of its brands in the last days. */
  captures: number;
}

/** The steps that are done; of users, only readers who see them know. */
export const doneSteps = ({ brands, terms, users, captures }: Start): Readonly<Record<StartStep, boolean>> => ({
  brand: brands.length > 0,
  domains: brands.length > 0 && brands.every(({ hasDomains }) => hasDomains),
  terms: terms > 0,
  users: users === undefined || users > 0,
  captures: captures > 0,
});

/** The days in which captures count. */
const DAYS = 30;
const REFRESH_MS = 10_000;
const NEWEST = 20;

export const startKey = ['start'] as const;

interface StoredCompany {
  id?: number;
  name?: string | null;
  label?: string | null;
  brands?: { id: number; name?: string | null; label?: string | null }[];
}

const companyOf = (stored: StoredCompany): Choice => ({
  value: Number(stored.id),
  label: nameOf(stored) ?? String(stored.id),
});

/** The newest company accounts, and whether each has a brand. */
export const newestCompaniesQuery = queryOptions({
  queryKey: [...startKey, 'newest'],
  queryFn: async ({ signal }): Promise<(Choice & { hasBrand: boolean })[]> => {
    const filter = JSON.stringify({ include: ['brands'], order: 'id DESC', limit: NEWEST });
    const found = await answer(client.GET('/api/CompanyAccounts', { params: { query: { filter } }, signal }));
    return (found as StoredCompany[]).map((stored) => ({
      ...companyOf(stored),
      hasBrand: (stored.brands ?? []).length > 0,
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
      const brands = (stored.brands ?? []).map((brand) => ({ id: brand.id, label: nameOf(brand) ?? String(brand.id) }));
      const ids = brands.map(({ id }) => id);
      const [withDomains, terms, users, captures] = await Promise.all([
        brandsWithDomains(ids, signal),
        countTerms(companyId, ids, signal),
        isAdmin(me) ? countUsers(companyId, signal) : undefined,
        countCaptures(ids, signal),
      ]);
      return {
        company: companyOf(stored),
        brands: brands.map((brand) => ({ ...brand, hasDomains: withDomains.has(brand.id) })),
        terms,
        users,
        captures,
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

async function countTerms(companyId: number, brands: readonly number[], signal: AbortSignal): Promise<number> {
  const seen = { or: [{ brandId: { inq: brands } }, { canBeAccessBy: { inq: [companyId] } }] };
  const where = JSON.stringify({ and: [{ state: 'enabled' }, seen] });
  return (await answer(client.GET('/api/Terms/count', { params: { query: { where } }, signal }))).count;
}

async function countUsers(companyId: number, signal: AbortSignal): Promise<number> {
  const where = JSON.stringify({ companyAccountId: companyId });
  return (await answer(client.GET('/api/UserAccounts/count', { params: { query: { where } }, signal }))).count;
}

async function countCaptures(brands: readonly number[], signal: AbortSignal): Promise<number> {
  if (brands.length === 0) return 0;
  const date = { type: 'between', value: lastDays(DAYS, dayjs()) } as const;
  const { data } = await readCoverage({ date, brandID: { type: 'inq', value: brands } }, signal);
  return data.valid;
}

/** Where the server keeps, as a view of each user, which companies this guide is not to be offered for now. */
const START_PATH = '/start';

/** The companies that the user said 'not now' of, each with the id to take it back by. */
export const postponedQuery = savedViewsQuery(START_PATH);

export const postpone = async (companyId: number): Promise<void> =>
  void (await saveView({ name: String(companyId), path: START_PATH, search: {}, columns: {}, shared: false }));

export const resume = (viewId: number): Promise<void> => removeView(viewId);
