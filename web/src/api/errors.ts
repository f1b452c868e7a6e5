import { isRecord } from '~/lib/storage';

/** Codes this client gives to failures that carry no answer of the server. */
export const NETWORK = 'NETWORK';
export const TIMEOUT = 'TIMEOUT';

/** A call that did not succeed. `status` is 0 when the server could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** What is wrong with each field of a form, as the server says it. */
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    /** Seconds after which the server would answer again. */
    readonly retryAfter?: number,
    /** The kind of what is wrong with each field: `presence`, `uniqueness` and others. */
    readonly fieldCodes: Readonly<Record<string, readonly string[]>> = {},
  ) {
    super(message);
  }
}

/** The error of an answer that is not a success, whatever its body holds. */
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
  );
}

function ofFields(details: unknown, part: 'messages' | 'codes'): Record<string, string[]> {
  const found = isRecord(details) ? details[part] : undefined;
  if (!isRecord(found)) return {};
  return Object.fromEntries(
    Object.entries(found).map(([field, texts]) => [field, Array.isArray(texts) ? texts.map(String) : []]),
  );
}

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** The call did not get through. */
export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.code === NETWORK;

/** The server (or our own time limit) gave up because the question was too big. */
export const isTooMany = (error: unknown): boolean => error instanceof ApiError && error.status === 408;
