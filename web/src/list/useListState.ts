import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useMe } from '~/api/session';
import { dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';
import { parseListSearch, sameAddress, toAddress } from './address';
import { resetSearch } from './open';
import { clearSaved, save, WRITE_DELAY_MS } from './persist';
import type { AnyListDef } from './types';

/** The state of a list, which lives in the address, and the ways to change it. Changes are saved for the next visit. */
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
      // Typed by hand: one component serves every list route.
      navigate({ to: def.path, search: ({ lng }: { lng?: string }) => ({ lng, ...toAddress(next) }) } as never),
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
