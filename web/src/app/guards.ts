import type { Flags } from '~/api/flags';
import { isAdmin, isImpersonated, type Me } from '~/api/session';
import type { Access } from './staticData';

interface Guarded {
  access: Access;
  flag?: keyof Flags | undefined;
  asOneself?: true | undefined;
}

/** Where somebody who may not open a route goes instead. */
export type Refusal = 'login' | 'home';

/** Whether a route is refused to somebody, and where they go then. */
export function refusal({ access, flag, asOneself }: Guarded, user: Me | null, flags: Flags): Refusal | undefined {
  if (access === 'public') return undefined;
  if (!user) return 'login';
  if (access === 'admin' && !isAdmin(user)) return 'home';
  if (asOneself && isImpersonated(user)) return 'home';
  if (flag && !flags[flag]) return 'home';
  return undefined;
}
