import { redirect } from '@tanstack/react-router';
import { ApiError } from '~/api/errors';
import { caseQuery } from '~/api/queries/actions';
import { userQuery } from '~/api/queries/users';
import { meQuery } from '~/api/session';
import { loadTexts } from '~/i18n';
import { asLanguage } from '~/i18n/language';
import { dayjs } from '~/lib/dates';
import { parseListSearch, sameAddress, toAddress } from '~/list/address';
import { initialSearch } from '~/list/savedSearch';
import type { AnyListDef } from '~/list/types';
import type { RouterContext } from './root';

export type Address = Record<string, unknown>;

/** Throws a redirect from an incomplete list address to the complete one, so that it can be reloaded and shared; else does nothing. */
export async function completeAddress(def: AnyListDef, { queries }: RouterContext, search: Address): Promise<void> {
  const { lng, ...address } = search;
  const me = await queries.ensureQueryData(meQuery);
  const wanted = toAddress(await initialSearch(def, address, me, dayjs()));
  if (sameAddress(wanted, address)) return;
  throw redirect({ to: def.path, search: { lng: asLanguage(lng), ...wanted }, replace: true });
}

/** Prefetches the rows of a list, and loads its texts. */
export async function startList(def: AnyListDef, { queries }: RouterContext, search: Address): Promise<void> {
  const me = await queries.ensureQueryData(meQuery);
  void queries.prefetchQuery(def.query(parseListSearch(def, search, def.defaults(me, dayjs()))));
  await loadTexts(['list', ...def.ns]);
}

/**
 * Loads the user that a form edits, afresh, into the cache, and the form's texts. Throws a redirect to /404 when there is no such user, and any other
 * failure as it is.
 */
export async function openUser({ queries }: RouterContext, id: string): Promise<void> {
  const texts = loadTexts(['users', 'avatar']);
  try {
    await queries.fetchQuery(userQuery(id));
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404;
    throw isGone ? redirect({ to: '/404', replace: true }) : error;
  }
  await texts;
}

/** Prefetches a case, and loads the texts of its page. */
export async function openCase({ queries }: RouterContext, id: string): Promise<void> {
  void queries.prefetchQuery(caseQuery(id));
  await loadTexts(['action', 'actions', 'advertisers', 'monitoring', 'market', 'list', 'history', 'mailsOfCases']);
}
