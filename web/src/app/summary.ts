import { searchBrands } from '~/api/queries/choices';
import { dayjs } from '~/lib/dates';
import type { Where } from '~/lib/listSearch';
import { isRecord, parseJson } from '~/lib/storage';

/**
 * The Domains filters (`date`, `brandID`, `domain`, `type`) of a summary address: `start`, `end`, `brand` (ids), `domain` and `type`, as a JSON
 * object or a query string. In JSON each of the last three may be a list; one value becomes an `inq` too. Unreadable parts are dropped, and the dates
 * unless both are readable.
 */
export function summaryFilters(text: string): Record<string, Where> {
  const json = parseJson(text);
  const asked = isRecord(json) ? json : Object.fromEntries(new URLSearchParams(text));
  const list = (value: unknown) =>
    (Array.isArray(value) ? value : [value]).filter(
      (one): one is string | number => typeof one === 'number' || (typeof one === 'string' && one !== ''),
    );
  const among = (value: unknown): Where | undefined => {
    const values = list(value);
    return values.length > 0 ? { type: 'inq', value: values } : undefined;
  };
  const brands = list(asked.brand).map(Number).filter(Number.isInteger);
  const filters: Record<string, Where | undefined> = {
    date: between(asked.start, asked.end),
    brandID: among(brands),
    domain: among(asked.domain),
    type: among(asked.type),
  };
  return Object.fromEntries(
    Object.entries(filters).filter((entry): entry is [string, Where] => entry[1] !== undefined),
  );
}

/** Adds the names of brands to a brand filter, as far as they are found: without them the filter shows ids. */
export async function withBrandNames(filters: Record<string, Where>): Promise<Record<string, Where>> {
  const { brandID } = filters;
  if (brandID?.type !== 'inq') return filters;
  const brands = await searchBrands('').catch(() => []);
  const labels = brandID.value.map((id) => brands.find(({ value }) => value === id)?.label ?? String(id));
  return { ...filters, brandID: { ...brandID, labels } };
}

function between(start: unknown, end: unknown): Where | undefined {
  const first = dayjs(asInstant(start));
  const given = dayjs(asInstant(end));
  if (!first.isValid() || !given.isValid()) return undefined;
  const last = isDay(end) ? given.endOf('day') : given;
  return { type: 'between', value: { start: first.toISOString(), end: last.toISOString() } };
}

/** A date without a time means the whole day. */
const isDay = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);

/** A date as text, or milliseconds since 1970. */
const asInstant = (value: unknown): string | number => {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value === '') return Number.NaN;
  return /^\d{10,}$/.test(value) ? Number(value) : value;
};
