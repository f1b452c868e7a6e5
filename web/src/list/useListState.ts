import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { asLanguage } from '~/i18n/language';
import { dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { useCountries, useFormats } from '~/ui/useFormats';
import { parseListSearch, sameAddress, toAddress, withPage } from './address';
import type { ListTexts } from './filters/kinds';
import { clearSaved, resetSearch, save, WRITE_DELAY_MS } from './savedSearch';
import type { AnyListDef, Translate } from './types';

/**
 * The state of a list, which lives in the address. `change` applies the list's rules and navigates; `reset` forgets the saved state and
 * navigates to the default, completed if possible. Any other state is saved for the next visit.
 */
export function useListState(def: AnyListDef) {
  const me = useMe();
  const navigate = useNavigate();
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const search = useMemo(() => parseListSearch(def, raw, def.defaults(me, dayjs())), [def, raw, me]);

  const forget = useRef(false);
  useEffect(() => {
    if (forget.current) {
      forget.current = false;
      return;
    }
    const timer = setTimeout(() => save(me.id, def.path, search, dayjs()), WRITE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [def.path, me.id, search]);

  const go = useCallback(
    (next: ListSearch) =>
      navigate({ to: def.path, search: ({ lng }) => ({ lng: asLanguage(lng), ...toAddress(next) }) }),
    [def, navigate],
  );

  const change = useCallback(
    (next: ListSearch) => void go(def.rules ? def.rules(search, next) : next),
    [def, go, search],
  );

  const reset = useCallback(async () => {
    clearSaved(me.id, def.path);
    const next = await resetSearch(def, me, dayjs()).catch(() => def.defaults(me, dayjs()));
    forget.current = !sameAddress(toAddress(next), toAddress(search));
    await go(next);
  }, [def, go, me, search]);

  return { search, change, reset };
}

/** Goes to the last page from a page beyond it, because rows are gone or the address was typed. Does nothing while `lastPage` is not known. */
export function useLastPage(
  search: ListSearch,
  lastPage: number | undefined,
  change: (next: ListSearch) => void,
): void {
  useEffect(() => {
    if (lastPage && search.page > lastPage) change(withPage(search, lastPage));
  }, [lastPage, search, change]);
}

/**
 * The translations of a list (`own`), those of all lists (`list`), and the formats. Keys are plain strings here: `defineList` has checked them. Only
 * lists with market texts name countries.
 */
export function useListTexts(def: Pick<AnyListDef, 'ns'>): ListTexts {
  const own = useTranslation([...def.ns]).t as Translate;
  const list = useTranslation('list').t as Translate;
  const formats = useFormats();
  // Only lists with market texts show countries.
  const { name: country } = useCountries({ enabled: def.ns.includes('market') });
  const fmt = useMemo(() => ({ ...formats, country }), [formats, country]);
  return { own, list, fmt };
}

/** Whether two states differ in the page only. */
const isOtherPage = (one: ListSearch, other: ListSearch): boolean =>
  one.page !== other.page && sameAddress(toAddress(withPage(one, other.page)), toAddress(other));

/** Raises a toast for each failure to load rows: the list's own text or, with `tellsPageFailure`, the error's if only the page had changed. */
export function useFailureToast(
  { failure, tellsPageFailure }: AnyListDef,
  { own }: ListTexts,
  search: ListSearch,
  { error, isSuccess, isPlaceholderData }: { error: Error | null; isSuccess: boolean; isPlaceholderData: boolean },
): void {
  const common = useTranslation('common').t;
  const shown = useRef<ListSearch>(undefined);
  useEffect(() => {
    if (isSuccess && !isPlaceholderData) shown.current = search;
  }, [isSuccess, isPlaceholderData, search]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: one toast per failure
  useEffect(() => {
    if (!error) return;
    const turned = tellsPageFailure && shown.current && isOtherPage(shown.current, search);
    toast.error(turned || failure === undefined ? errorText(error, common) : own(failure));
  }, [error]);
}
