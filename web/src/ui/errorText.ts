import type { TFunction } from 'i18next';
import { ApiError, NETWORK } from '~/api/errors';

const MINUTE = 60;

/** The code of an expired session or mail link. */
const EXPIRED = 'INVALID_TOKEN';

/** The message of failures whose cause stays in the server's log. */
const SAYS_NOTHING = 'Internal Server Error';

/**
 * The text that explains a failed call to the user, by its code, else by its status. The server's message appears only if neither has a
 * translation; an error that is no `ApiError` gets the generic text.
 */
export function errorText(error: unknown, t: TFunction<'common'>): string {
  if (!(error instanceof ApiError)) return t('generic.error');
  if (error.code === NETWORK) return t('generic.network');
  const known = error.code && t(`refused.${error.code as 'IN_USE'}`, { defaultValue: '' });
  if (known) return known;
  switch (error.status) {
    case 401:
      return error.code === EXPIRED ? t('generic.tokenExpired') : t('generic.unauthorized');
    case 403:
      return t('generic.forbidden');
    case 404:
      return t('generic.notFound');
    case 408:
      return t('generic.tooMany');
    case 409:
      return t('generic.changed');
    case 413:
    case 414:
    case 431:
      return t('generic.tooLarge');
    case 429:
      return t('generic.tooManyTries', { count: Math.ceil((error.retryAfter ?? MINUTE) / MINUTE) });
    case 502:
    case 503:
    case 504:
      return t('generic.unavailable');
    default:
      if (error.message === '' || error.message === SAYS_NOTHING) return t('generic.error');
      return error.status < 500 ? t('generic.refused', { reason: error.message }) : error.message;
  }
}
