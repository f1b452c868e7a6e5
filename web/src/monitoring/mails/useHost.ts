import { useEffect, useRef } from 'react';
import type { CaseRow } from '~/api/queries/actions';
import { useMe } from '~/api/session';
import { areKeysOn, isTyping } from '~/lib/keys';
import { isFramed } from './frame';
import { asHostMessage, type FrameMessage } from './frameProtocol';

/** Tells the page around this frame; does nothing outside of one. */
function tellHost(message: FrameMessage | Record<string, never>): void {
  if (isFramed()) window.parent.postMessage(message, window.location.origin);
}

/** Says that the lists are no longer right. */
export const tellStale = (): void => tellHost({});

/** Presses a key of the page around this frame. */
export const pressAtHost = (key: string): void => tellHost({ type: 'key', key });

/** What a case reports of itself: its status, every date of its own, and its history. */
function reportOf(row: CaseRow) {
  const dates = Object.entries(row).filter(([name]) => name.endsWith('Date') || name === 'lastView');
  return {
    status: row.status,
    dates: Object.fromEntries(dates) as Record<string, string | null>,
    history: row.history,
  };
}

/**
 * In a frame: says that it is ready, reports each later change of the case, passes keys on that nothing here has used, and gives those of the host to
 * `onKey`. Messages of other origins are ignored. The host's ticket is for pages without a session; this one has the reader's own.
 */
export function useHost(row: CaseRow | undefined, onKey: (key: string) => void): void {
  const me = useMe();
  const keyed = useRef(onKey);
  keyed.current = onKey;
  const report = row && JSON.stringify(reportOf(row));
  const reported = useRef<string>(undefined);

  useEffect(() => {
    if (!isFramed()) return;
    const receive = ({ origin, source, data }: MessageEvent) => {
      if (origin !== window.location.origin || source !== window.parent) return;
      const message = asHostMessage(data);
      if (message?.type === 'key') keyed.current(message.key);
    };
    const listen = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph'));
      const isSingle = event.key.length === 1 || event.key === 'Escape';
      if (event.defaultPrevented || isCommand || !isSingle || isTyping(event.target) || !areKeysOn(me.id)) return;
      // The space key presses buttons and scrolls.
      if (event.key !== ' ') pressAtHost(event.key);
    };
    window.addEventListener('message', receive);
    window.addEventListener('keydown', listen);
    tellHost({ type: 'ready' });
    return () => {
      window.removeEventListener('message', receive);
      window.removeEventListener('keydown', listen);
    };
  }, [me.id]);

  useEffect(() => {
    if (report === undefined) return;
    if (reported.current !== undefined && reported.current !== report) {
      tellHost({ type: 'status', data: JSON.parse(report) });
    }
    reported.current = report;
  }, [report]);
}
