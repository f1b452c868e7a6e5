import { expect, it } from 'vitest';
import { rootRoute } from './root';

const validate = rootRoute.options.validateSearch as (raw: Record<string, unknown>) => Record<string, unknown>;

it.each([
  ['fr_FR', 'fr'],
  ['en_US', 'en'],
  ['FR', 'fr'],
  // Set to undefined: a missing key would keep the value of the address.
  ['de', undefined],
  [{ a: 1 }, undefined],
])('takes the language %j of an address for %j', (lng, language) => {
  const search = validate({ lng, page: 1 });
  expect(search).toHaveProperty('lng');
  expect(search.lng).toBe(language);
});
