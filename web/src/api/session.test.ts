import { expect, it } from 'vitest';
import { isStaff, type Me } from './session';

const withRoles = (...names: string[]) => ({ roles: names.map((name, id) => ({ id, name })) }) as unknown as Me;

it('counts as staff who has a role that the server knows, and nobody else', () => {
  expect(isStaff(withRoles('operator'))).toBe(true);
  expect(isStaff(withRoles('reader', 'admin'))).toBe(true);
  expect(isStaff(withRoles('reader'))).toBe(false);
  expect(isStaff(withRoles())).toBe(false);
});
