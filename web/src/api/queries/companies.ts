import { queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { answer, client, done } from '../client';
import { containing, counted, countQuietly, resourceCount, resourceExport, resourcePage } from '../resourceFilter';
import type { Choice } from './choices';

/** Options per search. */
const LIMIT = 50;

export interface CompanyRow {
  id: string;
  /** The label, or else the stored name. */
  name: string;
  totalViews: number;
  brands: readonly { id: number; label: string }[];
  /** Captures that may be planned in a month; null without a limit. */
  quota: number | null;
}

interface Stored {
  id?: number;
  name?: string | null;
  label?: string | null;
  totalViews?: number | null;
  captureQuota?: number | null;
  brands?: { id: number; name?: string | null; label?: string | null }[];
}

export const companiesKey = ['companies'] as const;

/** A page of company accounts with their brands. */
export const companiesQuery = (search: ListSearch) => ({
  queryKey: [...companiesKey, resourcePage(search, ['brands'])],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const [rows, total] = await Promise.all([
      answer(
        client.GET('/api/CompanyAccounts', { params: { query: { filter: resourcePage(search, ['brands']) } }, signal }),
      ),
      countQuietly(
        answer(
          client.GET('/api/CompanyAccounts/count', { params: { query: { where: resourceCount(search) } }, signal }),
        ),
      ),
    ]);
    return {
      ...counted(search, (rows as Stored[]).map(readRow), total),
      exportCsv: resourceExport('CompanyAccounts', search),
    };
  },
});

const nameOf = ({ id, name, label }: Stored): string => label || name || String(id);

const readRow = (stored: Stored): CompanyRow => ({
  id: String(stored.id),
  name: nameOf(stored),
  totalViews: stored.totalViews ?? 0,
  brands: (stored.brands ?? []).map(({ id, name, label }) => ({ id, label: label || name || String(id) })),
  quota: stored.captureQuota ?? null,
});

/** Company accounts whose name matches. */
export async function searchCompanies(query: string, signal: AbortSignal): Promise<Choice[]> {
  const where = { or: [{ name: containing(query) }, { label: containing(query) }] };
  const filter = JSON.stringify({ ...(query !== '' && { where }), order: 'name ASC', limit: LIMIT });
  const rows = await answer(client.GET('/api/CompanyAccounts', { params: { query: { filter } }, signal }));
  return (rows as Stored[]).map((row) => ({ value: Number(row.id), label: nameOf(row) }));
}

/** One company account, as a choice. */
export const companyQuery = (id: number) =>
  queryOptions({
    queryKey: [...companiesKey, 'one', id],
    queryFn: async ({ signal }): Promise<Choice> => {
      const stored = await answer(client.GET('/api/CompanyAccounts/{id}', { params: { path: { id } }, signal }));
      return { value: id, label: nameOf(stored) };
    },
  });

export type CompanyForm = {
  name: string;
  /** Captures that may be planned in a month; empty for no limit. */
  captureQuota: number | '';
};

// Screens show the label, lists sort by the name: the form's one field is both.
const body = ({ name, captureQuota }: CompanyForm) => ({
  name: name.trim(),
  label: name.trim(),
  captureQuota: captureQuota === '' ? null : captureQuota,
});

export const createCompany = async (form: CompanyForm): Promise<void> =>
  void (await answer(client.POST('/api/CompanyAccounts', { body: body(form) })));

export const updateCompany = async (id: string, form: CompanyForm): Promise<void> =>
  void (await answer(
    client.PATCH('/api/CompanyAccounts/{id}', { params: { path: { id: Number(id) } }, body: body(form) }),
  ));

export const deleteCompany = (id: string): Promise<void> =>
  done(client.DELETE('/api/CompanyAccounts/{id}', { params: { path: { id: Number(id) } } }));
