import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CaseChange, type CaseRow, isOwnChange, refreshCases } from '~/api/queries/actions';
import { listPeopleQuery } from '~/api/queries/presence';
import { isRecord, parseJson } from '~/lib/storage';
import { useChangeStream } from '~/monitoring/cases/useChangeStream';
import styles from './Actions.module.css';

/** Cards whose people are asked for: the server answers for no more at once. */
const MOST_PEOPLED = 500;

/** Cards that changed within this time are read again together. */
const BURST_MS = 300;

/** Cases read again at once: their ids are in the address. */
const MOST_REFRESHED = 100;

/** The columns that a card shows and that the work on a case changes; captures change others all the time. */
const SHOWN = ['status', 'waiting', 'receivedCount', 'sendedCount', 'remindedCount', 'unreadCount'] as const;

/** Reads an event of the change stream; undefined for anything else. */
export function readChange(text: unknown): CaseChange | undefined {
  const event = typeof text === 'string' ? parseJson(text) : undefined;
  if (!isRecord(event) || typeof event.target !== 'number') return undefined;
  const { type, data } = event;
  if (type !== 'create' && type !== 'update' && type !== 'remove') return undefined;
  return { id: event.target, type, ...(isRecord(data) && { data }) };
}

/** Whether an event says something that the shown rows do not: a card that changed, or a case that entered or left the list. */
export function isNews(change: CaseChange, row: CaseRow | undefined): boolean {
  if (isOwnChange(change.id)) return false;
  if (change.type === 'remove') return true;
  if (!row) return change.type === 'create';
  return SHOWN.some((name) => change.data?.[name] !== undefined && change.data[name] !== row[name]);
}

interface Props {
  /** Address of the change stream. */
  stream: string;
  rows: readonly CaseRow[];
  onShow(): void;
}

/**
 * Listens while the page is in sight: cards that change are brought up to date where they are, and how many cases have changed is said, with a button
 * that loads the list again. No row moves by itself.
 */
export function LiveChanges({ stream, rows, onShow }: Props) {
  const { t } = useTranslation('actions');
  const queries = useQueryClient();
  const [changed, setChanged] = useState<ReadonlySet<number>>(new Set());
  const latest = useRef(rows);
  latest.current = rows;
  // Other rows are a list that was loaded again.
  const shown = rows.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => setChanged(new Set()), [shown, stream]);

  useQuery(listPeopleQuery(rows.slice(0, MOST_PEOPLED).map(({ id }) => id)));

  const waiting = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stopped = useRef<AbortController>(undefined);
  useEffect(() => {
    const running = new AbortController();
    stopped.current = running;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      running.abort();
    };
  }, []);
  const refresh = (ids: Iterable<string>) => {
    for (const id of ids) waiting.current.add(id);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const all = [...waiting.current].slice(0, MOST_REFRESHED);
      waiting.current.clear();
      // The bar still says that they changed.
      if (all.length > 0 && stopped.current)
        void refreshCases(queries, all, stopped.current.signal).catch(() => undefined);
    }, BURST_MS);
  };
  useChangeStream(stream, {
    onEvent: (data) => {
      const change = readChange(data);
      const row = latest.current.find(({ ID }) => ID === change?.id);
      if (!change || !isNews(change, row)) return;
      setChanged((before) => new Set([...before, change.id]));
      if (row) refresh([row.id]);
    },
    onReopen: () => refresh(latest.current.map(({ id }) => id)),
  });

  return (
    <span role="status">
      {changed.size > 0 && (
        <span className={styles.changed}>
          {t('live.changed', { count: changed.size })}
          <Button
            size="compact-xs"
            radius="xl"
            onClick={() => {
              setChanged(new Set());
              onShow();
            }}
          >
            {t('live.show')}
          </Button>
        </span>
      )}
    </span>
  );
}
