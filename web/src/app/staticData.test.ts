import { describe, expect, it } from 'vitest';
import { type Flags, NO_FLAGS } from '~/api/flags';
import type { Me } from '~/api/session';
import { type Access, type Refusal, refusal } from './staticData';

const user = { id: 2, roles: [{ id: 2, name: 'operator' }] } as unknown as Me;
const member = { id: 3, roles: [] } as unknown as Me;
const admin = { id: 1, roles: [{ id: 1, name: 'admin' }] } as unknown as Me;
const on: Flags = { header_workspaces_switch: true, stopgo_dashboard: true };

describe('who may open a route', () => {
  it.each<[Access, keyof Flags | undefined, string, Me | null, Flags, Refusal | undefined]>([
    ['public', undefined, 'nobody', null, NO_FLAGS, undefined],
    ['user', undefined, 'nobody', null, NO_FLAGS, 'login'],
    ['user', undefined, 'a user', user, NO_FLAGS, undefined],
    ['admin', undefined, 'nobody', null, NO_FLAGS, 'login'],
    ['admin', undefined, 'a user', user, NO_FLAGS, 'home'],
    ['admin', undefined, 'an administrator', admin, NO_FLAGS, undefined],
    ['staff', undefined, 'a user of a company', member, NO_FLAGS, 'home'],
    ['staff', undefined, 'an operator', user, NO_FLAGS, undefined],
    ['staff', undefined, 'an administrator', admin, NO_FLAGS, undefined],
    ['user', 'stopgo_dashboard', 'nobody', null, on, 'login'],
    ['user', 'stopgo_dashboard', 'a user without the flag', user, NO_FLAGS, 'home'],
    ['user', 'stopgo_dashboard', 'a user with the flag', user, on, undefined],
    ['user', 'header_workspaces_switch', 'an administrator without the flag', admin, NO_FLAGS, 'home'],
  ])('%s with flag %s, opened by %s', (access, flag, _, who, flags, expected) => {
    expect(refusal({ access, flag }, who, flags)).toBe(expected);
  });

  it('closes the users to an administrator who works as somebody else', () => {
    const working = { ...admin, impersonatedBy: 7 } as unknown as Me;
    const users = { access: 'admin', closedWhileImpersonating: true } as const;
    expect(refusal(users, working, on)).toBe('home');
    expect(refusal(users, admin, on)).toBeUndefined();
  });
});
