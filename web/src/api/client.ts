import createClient from 'openapi-fetch';
import { currentLanguage } from '~/i18n';
import { ApiError, errorOf, NETWORK, TIMEOUT } from './errors';
import type { paths } from './schema';

/** How long a call may take before it counts as too big. */
export const REQUEST_TIMEOUT_MS = 60_000;

/** Fetches within the time limit; what went wrong on the way is an [`ApiError`]. */
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

/** The header that cookie-authenticated writes need. */
export const WRITE_HEADERS = { 'X-Requested-With': 'XMLHttpRequest' };

/** Every call goes through here: same origin, the session cookie, and the header that cookie-authenticated writes need. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  headers: WRITE_HEADERS,
  fetch: fetchWithDeadline,
});

interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The body of a successful call; an [`ApiError`] otherwise. */
export async function answer<Data>(call: Promise<Outcome<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined || data === null) throw errorOf(response, error);
  return data;
}

/** For calls that answer with nothing. */
export async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw errorOf(response, error);
}
