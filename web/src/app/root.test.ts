import { expect, it } from 'vitest';
import { rootRoute } from './root';

const validate = rootRoute.options.validateSearch as (raw: Record<string, unknown>) => Record<string, unknown>;

it.each([
  ['fr_FR', 'fr'],
  ['en_US', 'en'],
  ['FR', 'fr'],
  // Said to be none, since what is left out stays as the address has it.
  ['de', undefined],
  [{ a: 1 }, undefined],
])('takes the language %j of an address for %j', (lng, language) => {
  const search = validate({ lng, page: 1 });
  expect(search).toHaveProperty('lng');
  expect(search.lng).toBe(language);
});
