import { isRecord } from '~/lib/storage';
import type { components } from './schema';

/** Codes of failures without an answer of the server. */
export const NETWORK = 'NETWORK';
export const TIMEOUT = 'TIMEOUT';

/** Rows that somebody else has changed since they were seen, and their model. */
type ChangedRows = components['schemas']['ChangedRows'] & { model: string };

/** A failed call. `status` is 0 when the server could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The server's messages by field. */
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    /** In seconds, from `Retry-After`. */
    readonly retryAfter?: number,
    /** The server's codes by field, such as `presence` and `uniqueness`. */
    readonly fieldCodes: Readonly<Record<string, readonly string[]>> = {},
    /** What somebody else changed, where the call would have overwritten it. */
    readonly changed?: ChangedRows,
    /** Everything else that the server says of the failure. */
    readonly details?: unknown,
  ) {
    super(message);
  }
}

/**
 * The `ApiError` of a failed answer: code and message of the body's `error`, else the status and its text, with the messages and codes of fields and
 * the seconds of `Retry-After`, if any. Never throws.
 */
export function errorOf(response: Response, body: unknown): ApiError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' && value !== '' ? value : otherwise);
  const retryAfter = Number(response.headers.get('Retry-After'));
  return new ApiError(
    response.status,
    text(error.code, String(response.status)),
    text(error.message, response.statusText || String(response.status)),
    ofFields(error.details, 'messages'),
    retryAfter > 0 ? retryAfter : undefined,
    ofFields(error.details, 'codes'),
    changedRows(error.details),
    error.details,
  );
}

/** The rows that somebody else has changed, from an error's details; undefined where there are none. */
function changedRows(details: unknown): ChangedRows | undefined {
  if (!isRecord(details) || !isRecord(details.changed) || !Array.isArray(details.changed.rows)) return undefined;
  const { count, rows, asOf } = details.changed;
  return {
    model: String(details.context),
    count: Number(count),
    rows: rows.filter(isRecord).map(({ id, name }) => ({ id: Number(id), name: String(name) })),
    asOf: String(asOf),
  };
}

/** The texts by field in one part of an error's details; empty where there are none. */
function ofFields(details: unknown, part: 'messages' | 'codes'): Record<string, string[]> {
  const found = isRecord(details) ? details[part] : undefined;
  if (!isRecord(found)) return {};
  return Object.fromEntries(
    Object.entries(found).map(([field, texts]) => [field, Array.isArray(texts) ? texts.map(String) : []]),
  );
}

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Whether the server could not be reached. */
export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.code === NETWORK;

/** Whether the server, or our own time limit, gave up on a query that is too big. */
export const isTooMany = (error: unknown): boolean => error instanceof ApiError && error.status === 408;
