import { useCallback, useEffect, useRef, useState } from 'react';
import { type Present, tellPresence } from '~/api/queries/presence';
import { newOperation } from '~/api/queries/undo';

/** How often it is said that somebody types; the server takes it for writing three times as long. */
const SAID_EVERY_MS = 10_000;

/** The others that write in the case, by name, and whether the reader does in another window. */
export interface OtherWriters {
  names: readonly string[];
  elsewhere: boolean;
}

const ALONE: OtherWriters = { names: [], elsewhere: false };

const otherWritersOf = ({ people, elsewhere }: Present): OtherWriters => ({
  names: people.filter(({ writes }) => writes).map(({ name }) => name),
  elsewhere,
});

/** Whether anybody else writes. */
export const hasOtherWriters = ({ names, elsewhere }: OtherWriters): boolean => elsewhere || names.length > 0;

/** Tells others that the reader writes in a case, and the reader of others that do. Nobody where that cannot be known. */
export function useOtherWriters(caseId: string) {
  const [otherWriters, setOtherWriters] = useState(ALONE);
  const page = useRef<string>(undefined);
  page.current ??= newOperation();
  const said = useRef(Number.NEGATIVE_INFINITY);

  /** Asks for others that write, and says that the reader does. */
  const ask = useCallback(async (): Promise<OtherWriters> => {
    said.current = performance.now();
    const found = await tellPresence(caseId, page.current ?? '', 'writes').then(otherWritersOf, () => ALONE);
    setOtherWriters(found);
    return found;
  }, [caseId]);

  /** Something was typed. */
  const typed = useCallback(() => {
    if (performance.now() - said.current >= SAID_EVERY_MS) void ask();
  }, [ask]);

  useEffect(() => {
    const leave = () => {
      if (said.current === Number.NEGATIVE_INFINITY) return;
      said.current = Number.NEGATIVE_INFINITY;
      void tellPresence(caseId, page.current ?? '', 'leaves').catch(() => undefined);
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [caseId]);
  return { otherWriters, ask, typed };
}
