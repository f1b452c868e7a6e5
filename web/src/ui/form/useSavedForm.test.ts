import type { TFunction } from 'i18next';
import { describe, expect, it } from 'vitest';
import { ApiError } from '~/api/errors';
import { fieldErrors } from './useSavedForm';

const t = ((key: string) => key) as unknown as TFunction<'common'>;
const refused = (fields: Record<string, string[]>, codes: Record<string, string[]>) =>
  new ApiError(422, '422', 'not valid', fields, undefined, codes);

describe('what the server refuses of a form', () => {
  it('is told in our own words where its kind is known', () => {
    const error = refused({ email: ['Email already exists'] }, { email: ['uniqueness'] });
    expect(fieldErrors(error, ['email', 'firstName'], t)).toEqual({ email: 'field.taken' });
  });

  it('is told in the words of the server where it is not', () => {
    const error = refused({ password: ['is too easy'] }, {});
    expect(fieldErrors(error, ['password'], t)).toEqual({ password: 'is too easy' });
  });

  it('is no matter of a field that the form does not have', () => {
    expect(fieldErrors(refused({ realm: ['no'] }, { realm: ['type'] }), ['email'], t)).toEqual({});
    expect(fieldErrors(new Error('offline'), ['email'], t)).toEqual({});
  });
});
