import { answer, type Outcome } from './client';
import { ApiError } from './errors';

/** The state of the database that an answer shows, in the words of the server. */
export type AsOf = string & { readonly kind: 'asOf' };

/** A row, and what it was read as of; undefined where the server did not say. */
export interface Seen {
  asOf?: AsOf | undefined;
}

/** The body of a successful call and the state that it shows; throws an `ApiError` otherwise. */
export async function answerAsOf<Data>(call: Promise<Outcome<Data>>): Promise<{ data: NonNullable<Data> } & Seen> {
  const outcome = await call;
  const data = await answer(Promise.resolve(outcome));
  const asOf = outcome.response.headers.get('X-As-Of');
  return { data, asOf: asOf === null ? undefined : (asOf as AsOf) };
}

/** When a state was, in microseconds. */
const timeOf = (asOf: AsOf): number => Number.parseInt(asOf, 10);

/** The state that all of these rows were seen in or after; undefined where nothing is known of any. */
export function seenOf(rows: readonly Seen[]): AsOf | undefined {
  const states = rows.flatMap(({ asOf }) => asOf ?? []);
  return states.reduce<AsOf | undefined>(
    (oldest, state) => (oldest === undefined || timeOf(state) < timeOf(oldest) ? state : oldest),
    undefined,
  );
}

/** The header by which the server refuses to overwrite what others changed since. */
export const ifSeen = (seen: AsOf | undefined): Record<string, string> =>
  seen === undefined ? {} : { 'X-Seen-At': seen };

/** Rows that somebody else has changed since they were seen. */
export interface ChangedSince {
  /** The name of their model. */
  model: string;
  count: number;
  /** The first of them. */
  rows: readonly { id: number; name: string }[];
  /** What a request sends to overwrite these changes. */
  asOf: AsOf;
}

/** What the server refused to overwrite; undefined for any other failure. */
export function changedSince(error: unknown): ChangedSince | undefined {
  if (!(error instanceof ApiError) || error.code !== 'CHANGED_SINCE_SEEN' || !error.changed) return undefined;
  const { asOf, ...changed } = error.changed;
  return { ...changed, asOf: asOf as AsOf };
}
