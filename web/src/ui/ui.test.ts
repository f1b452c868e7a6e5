import type { TFunction } from 'i18next';
import { describe, expect, it } from 'vitest';
import { ApiError, NETWORK, TIMEOUT } from '~/api/errors';
import common from '../../../libs/texts/en/common.json';
import { deviceOf } from './environment';
import { errorText } from './errorText';
import { flagCode } from './marketIcons';

describe('device classes', () => {
  it.each([
    [320, 'mobileS'],
    [321, 'mobileM'],
    [375, 'mobileM'],
    [376, 'mobileL'],
    [425, 'mobileL'],
    [426, 'tablet'],
    [768, 'tablet'],
    [769, 'laptopS'],
    [980, 'laptopS'],
    [981, 'laptop'],
    [1024, 'laptop'],
    [1025, 'laptopL'],
    [1440, 'laptopL'],
    [1441, 'desktop'],
    [2560, 'desktop'],
    [5120, 'desktop'],
  ])('a window of %i px is %s', (width, device) => {
    expect(deviceOf(width)).toBe(device);
  });
});

describe('flags', () => {
  const code = (text: string) => flagCode(text, (known) => ['fr', 'gb', 'de'].includes(known));

  it.each([
    ['en', 'gb'],
    ['eng', 'gb'],
    ['UK', 'gb'],
    ['gb', 'gb'],
    ['DE', 'de'],
    ['', 'fr'],
    ['zz', 'fr'],
  ])('of %j is that of %s', (given, shown) => {
    expect(code(given)).toBe(shown);
  });
});

describe('the text of an error', () => {
  const known = Object.keys(common.refused).map((code) => `refused.${code}`);
  const t = ((key: string, options?: { count?: number; reason?: string; defaultValue?: string }) =>
    options?.defaultValue === undefined || known.includes(key)
      ? key + (options?.count ?? '') + (options?.reason ? ` ${options.reason}` : '')
      : options.defaultValue) as unknown as TFunction<'common'>;

  it.each([
    [new ApiError(401, 'LOGIN_FAILED', 'Unauthorized'), 'generic.unauthorized'],
    [new ApiError(401, 'INVALID_TOKEN', 'Invalid Access Token'), 'generic.tokenExpired'],
    [new ApiError(403, 'AUTHORIZATION_REQUIRED', 'x'), 'generic.forbidden'],
    [new ApiError(408, TIMEOUT, 'x'), 'generic.tooMany'],
    [new ApiError(0, NETWORK, 'x'), 'generic.network'],
    [new ApiError(429, 'TOO_MANY', 'x', {}, 121), 'generic.tooManyTries3'],
    [new ApiError(429, 'TOO_MANY_AT_ONCE', 'x', {}, 5), 'refused.TOO_MANY_AT_ONCE'],
    [new ApiError(401, 'PUBLISHED_PASSWORD', 'x'), 'refused.PUBLISHED_PASSWORD'],
    [new ApiError(400, 'TOO_MANY_TAGGED', 'x'), 'refused.TOO_MANY_TAGGED'],
    [new ApiError(409, 'TOO_MANY_VIEWS', 'x'), 'refused.TOO_MANY_VIEWS'],
    [new ApiError(409, 'TOO_MANY_KEYS', 'x'), 'refused.TOO_MANY_KEYS'],
    [new ApiError(409, 'TOO_MANY_WEBHOOKS', 'x'), 'refused.TOO_MANY_WEBHOOKS'],
    [new ApiError(404, 'MODEL_NOT_FOUND', 'Unknown "Term" id "5".'), 'generic.notFound'],
    [new ApiError(409, '409', 'Conflict'), 'generic.changed'],
    [new ApiError(409, 'TRANSITION_NOT_ALLOWED', 'x'), 'refused.TRANSITION_NOT_ALLOWED'],
    [new ApiError(413, '413', 'Payload Too Large'), 'generic.tooLarge'],
    [new ApiError(414, '414', 'URI Too Long'), 'generic.tooLarge'],
    [new ApiError(500, '500', 'Internal Server Error'), 'generic.error'],
    [new ApiError(500, '500', 'The mails are out of order.'), 'The mails are out of order.'],
    [new ApiError(503, 'STORE_UNAVAILABLE', 'Postgres cannot be reached'), 'generic.unavailable'],
    [new ApiError(422, 'VALIDATION', 'too many captures'), 'generic.refused too many captures'],
    [new Error('a bug'), 'generic.error'],
  ])('%s is told in our words; of a refusal that is not known, the reason in the server’s', (error, text) => {
    expect(errorText(error, t)).toBe(text);
  });
});
