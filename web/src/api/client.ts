import createClient from 'openapi-fetch';
import { currentLanguage } from '~/i18n';
import { ApiError, errorOf, NETWORK, TIMEOUT } from './errors';
import type { paths } from './schema';

/** A call that takes longer counts as too big. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Fetches a request in the language of the screens. Resolves with any status; throws an `ApiError` after `REQUEST_TIMEOUT_MS` (408) and
 * without an answer (0), and the error of the abort when the caller aborts the request.
 */
export async function fetchWithDeadline(request: Request): Promise<Response> {
  const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  // The language of the screens, which may differ from the browser's.
  request.headers.set('Accept-Language', currentLanguage());
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, deadline]) });
  } catch (cause) {
    if (deadline.aborted) throw new ApiError(408, TIMEOUT, 'The server did not answer in time');
    if (request.signal.aborted) throw cause;
    throw new ApiError(0, NETWORK, 'The server cannot be reached');
  }
}

/** The server requires it for cookie-authenticated writes, against request forgery. */
export const WRITE_HEADERS = { 'X-Requested-With': 'XMLHttpRequest' };

/** The typed client for all calls: same origin, with the session cookie. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  headers: WRITE_HEADERS,
  fetch: fetchWithDeadline,
});

/** A call as the client ends it. */
export interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The body of a successful call; throws an `ApiError` otherwise. */
export async function answer<Data>(call: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined || data === null) throw errorOf(response, error);
  return data;
}

/** For calls without a body; throws an `ApiError` on failure. */
export async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw errorOf(response, error);
}
