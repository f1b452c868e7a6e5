import type { TFunction } from 'i18next';
import { ApiError, NETWORK } from '~/api/errors';

const MINUTE = 60;

/** Refusals that have words of our own, by their code. */
const REFUSALS = [
  'OWN_ACCOUNT',
  'LAST_ADMINISTRATOR',
  'BRAND_ENABLED',
  'SYSTEM_TAG',
  'SYSTEM_ROLE',
  'IN_USE',
  'INVALID_PASSWORD',
  'PASSWORD_TOO_LONG',
  'PASSWORD_TOO_COMMON',
  'UPLOAD_QUOTA',
  'NO_SECRETS_KEY',
] as const;

/** What to tell about a failed call: our own words when the error is known, else the server's. */
export function errorText(error: unknown, t: TFunction<'common'>): string {
  if (!(error instanceof ApiError)) return t('generic.error');
  if (error.code === NETWORK) return t('generic.network');
  switch (error.status) {
    case 401:
      return error.code === 'TOKEN_EXPIRED' ? t('generic.tokenExpired') : t('generic.unauthorized');
    case 403:
      return t('generic.forbidden');
    case 408:
      return t('generic.tooMany');
    case 429:
      return t('generic.tooManyTries', { count: Math.ceil((error.retryAfter ?? MINUTE) / MINUTE) });
    default: {
      const known = REFUSALS.find((code) => code === error.code);
      return known ? t(`refused.${known}`) : error.message || t('generic.error');
    }
  }
}
