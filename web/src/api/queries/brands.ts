import type { ListSearch } from '~/lib/listSearch';
import { isRecord } from '~/lib/storage';
import { type AsOf, answerAsOf, ifSeen, type Seen } from '../asOf';
import { answer, client, done } from '../client';
import { counted, countQuietly, EVERY_ROW, resourceCount, resourceExport, resourcePage } from '../resourceFilter';
import { allOrNone, newOperation, type Operation, partOf } from './undo';

/** The switches of a brand, in the order of the list's columns. `autoReminder` is a part of its reminder. */
export const BRAND_FLAGS = [
  'validated',
  'createNotification',
  'createShoppingNotification',
  'notificationAuto',
  'autoReminder',
] as const;
export type BrandFlag = (typeof BRAND_FLAGS)[number];

/** What a brand without settings of its own reminds by, unless its company account has some. */
export const REMINDER_DEFAULTS = { frequency: 15, quota: 3 } as const;

export interface BrandRow extends Seen {
  id: string;
  label: string;
  /** Made of the label at creation, and fixed since; empty for a label without letters and digits. */
  name: string;
  /** The patterns as they are stored; empty for none. */
  autoMatch: string;
  autoMatchExclude: string;
  companies: readonly { id: number; label: string }[];
  flags: Readonly<Record<BrandFlag, boolean>>;
  /** Days between reminders, and how many there are; null where the company account's apply. */
  frequency: number | null;
  quota: number | null;
  totalViews: number;
  /** Whether it has an enabled term: such a brand cannot be deleted. */
  isEnabled: boolean;
}

interface Stored {
  id?: number;
  label?: string | null;
  name?: string | null;
  autoMatchRegExp?: string | null;
  autoMatchExcludeRegExp?: string | null;
  validated?: boolean | null;
  createNotification?: boolean | null;
  createShoppingNotification?: boolean | null;
  notificationAuto?: boolean | null;
  reminder?: unknown;
  totalViews?: number | null;
  companyAccounts?: { id: number; name?: string | null; label?: string | null }[];
  terms?: unknown[];
}

/** The prefix of every query of brands. */
export const brandsKey = ['brands'] as const;

/** One enabled term is enough to know that there are some. */
const WITH_ALL = [
  'companyAccounts',
  { relation: 'terms', scope: { where: { state: 'enabled' }, fields: ['id'], limit: 1 } },
];

/** A page of brands with their company accounts. */
export const brandsQuery = (search: ListSearch) => ({
  queryKey: [...brandsKey, 'list', resourcePage(search, WITH_ALL)],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const [{ data, asOf }, total] = await Promise.all([
      answerAsOf(client.GET('/api/Brands', { params: { query: { filter: resourcePage(search, WITH_ALL) } }, signal })),
      countQuietly(
        answer(client.GET('/api/Brands/count', { params: { query: { where: resourceCount(search) } }, signal })),
      ),
    ]);
    const rows = (data as Stored[]).map((stored) => ({ ...readRow(stored), asOf }));
    return { ...counted(search, rows, total), exportCsv: resourceExport('Brands', search) };
  },
});

const wholeOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The row of a stored brand. Without a label it shows the name, without that the id; a missing pattern is empty, a missing flag off. */
function readRow(stored: Stored): BrandRow {
  const reminder = isRecord(stored.reminder) ? stored.reminder : {};
  return {
    id: String(stored.id),
    label: stored.label || stored.name || String(stored.id),
    name: stored.name ?? '',
    autoMatch: stored.autoMatchRegExp ?? '',
    autoMatchExclude: stored.autoMatchExcludeRegExp ?? '',
    companies: (stored.companyAccounts ?? []).map(({ id, name, label }) => ({
      id,
      label: label || name || String(id),
    })),
    flags: {
      validated: stored.validated === true,
      createNotification: stored.createNotification === true,
      createShoppingNotification: stored.createShoppingNotification === true,
      notificationAuto: stored.notificationAuto === true,
      autoReminder: reminder.autoReminder === true,
    },
    frequency: wholeOf(reminder.frequency),
    quota: wholeOf(reminder.quota),
    totalViews: stored.totalViews ?? 0,
    isEnabled: (stored.terms ?? []).length > 0,
  };
}

/** Changes the same fields of one or more brands, with one call. */
async function change(
  headers: Record<string, string>,
  ids: readonly number[],
  body: Record<string, unknown>,
): Promise<void> {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) {
    await answer(client.PATCH('/api/Brands/{id}', { params: { path: { id: only } }, headers, body }));
    return;
  }
  const where = JSON.stringify({ id: { inq: ids } });
  await answer(client.POST('/api/Brands/update', { params: { query: { where } }, headers, body }));
}

/**
 * Turns a switch of brands on or off. Fails, and changes none, if somebody else has changed it on one of them since `seen`. Resolves with what
 * undoes it.
 */
export async function setFlag(
  brands: readonly BrandRow[],
  flag: BrandFlag,
  on: boolean,
  seen: AsOf | undefined,
): Promise<Operation> {
  const operation = newOperation();
  const headers = { ...partOf(operation), ...ifSeen(seen) };
  const ids = brands.map(({ id }) => Number(id));
  if (flag !== 'autoReminder') {
    await change(headers, ids, { [flag]: on });
    return operation;
  }
  const calls = (await remindersOf(ids)).map(
    ([reminder, alike]) =>
      () =>
        change(headers, alike, { reminder: { ...reminder, autoReminder: on } }),
  );
  await allOrNone(operation, calls);
  return operation;
}

/** The reminders as they are stored now, each with the brands that have it: a reminder is stored as a whole. */
async function remindersOf(ids: readonly number[]): Promise<[Record<string, unknown>, number[]][]> {
  const filter = JSON.stringify({ where: { id: { inq: ids } }, fields: ['id', 'reminder'], limit: EVERY_ROW });
  const found = (await answer(client.GET('/api/Brands', { params: { query: { filter } } }))) as Stored[];
  const groups = new Map<string, number[]>();
  for (const { id, reminder } of found) {
    const key = JSON.stringify({ ...REMINDER_DEFAULTS, ...(isRecord(reminder) && reminder) });
    groups.set(key, [...(groups.get(key) ?? []), Number(id)]);
  }
  return [...groups].map(([key, alike]) => [JSON.parse(key), alike]);
}

/** What a form changes of a brand; patterns are as stored. What is left out stays: where a brand has none, its company account's applies. */
export interface BrandChange {
  label?: string;
  autoMatch?: string;
  autoMatchExclude?: string;
  /** All but the one of the reminder. */
  flags?: Readonly<Partial<Record<Exclude<BrandFlag, 'autoReminder'>, boolean>>>;
  reminder?: Readonly<{ autoReminder: boolean; frequency: number; quota: number }>;
}

const body = ({ label, autoMatch, autoMatchExclude, flags, reminder }: BrandChange) => ({
  ...(label !== undefined && { label: label.trim() }),
  ...(autoMatch !== undefined && { autoMatchRegExp: autoMatch || null }),
  ...(autoMatchExclude !== undefined && { autoMatchExcludeRegExp: autoMatchExclude || null }),
  ...flags,
  ...(reminder && { reminder }),
});

/** Creates a brand, which the server names after its label, and returns its id. Its company accounts are linked by `setCompanies`. */
export const createBrand = async (change: BrandChange): Promise<number> =>
  Number((await answer(client.POST('/api/Brands', { body: body(change) }))).id);

/**
 * Changes a brand, if there is anything to change, as far as others did not since it was seen; its name stays, and what else its reminder holds.
 */
export async function updateBrand(id: number, change: BrandChange, seen: AsOf | undefined): Promise<void> {
  const fields = body(change);
  if (Object.keys(fields).length === 0) return;
  if (change.reminder) {
    const [[stored] = [{}]] = await remindersOf([id]);
    fields.reminder = { ...stored, ...change.reminder };
  }
  await answer(client.PATCH('/api/Brands/{id}', { params: { path: { id } }, headers: ifSeen(seen), body: fields }));
}

/** Links and unlinks company accounts, until the brand has exactly the wanted ones. */
export async function setCompanies(id: number, had: readonly number[], wanted: readonly number[]): Promise<void> {
  const path = (fk: number) => ({ params: { path: { id, fk } } });
  for (const company of wanted.filter((company) => !had.includes(company))) {
    await answer(client.PUT('/api/Brands/{id}/companyAccounts/rel/{fk}', path(company)));
  }
  for (const company of had.filter((company) => !wanted.includes(company))) {
    await done(client.DELETE('/api/Brands/{id}/companyAccounts/rel/{fk}', path(company)));
  }
}

/** Deletes a brand, unless others changed it since it was seen. Resolves with what undoes it. */
export async function deleteBrand(id: number, seen: AsOf | undefined): Promise<Operation> {
  const operation = newOperation();
  const headers = { ...partOf(operation), ...ifSeen(seen) };
  await done(client.DELETE('/api/Brands/{id}', { params: { path: { id } }, headers }));
  return operation;
}
