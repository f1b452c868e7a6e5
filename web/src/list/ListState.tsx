import { Button } from '@mantine/core';
import { IconFilterOff, IconSearchOff } from '@tabler/icons-react';
import { type FC, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isTooMany } from '~/api/errors';
import { useOnline } from '~/ui/environment';
import { EmptyState, ErrorPanel, TooManyPanel, UnreachablePanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './ListScreen.module.css';

/** The two error states of a list: too many results, and everything else. */
interface ErrorSlots {
  timeout: boolean;
  other: boolean;
}

export const errorSlots = (error: unknown): ErrorSlots => ({
  timeout: error !== null && isTooMany(error),
  other: error !== null && !isTooMany(error),
});

type Props =
  | {
      kind: 'empty';
      filtered: boolean;
      onReset: () => void;
      own: { title: string; text: string; action?: FC } | undefined;
    }
  | { kind: 'noMatch'; text: string; onClear: () => void }
  | { kind: 'error' | 'tooMany' | 'unreachable'; onRetry: () => void };

/** Shown in place of rows: why there are none, by `kind`, with a button that resets filters or search, or tries again, where that helps. */
export function ListState(props: Props) {
  const { t } = useTranslation('list');
  switch (props.kind) {
    case 'empty': {
      const OwnAction = props.own?.action;
      return (
        <EmptyState
          icon={<IconFilterOff size={26} />}
          title={props.own?.title ?? t('emptyTitle')}
          text={props.own?.text ?? (props.filtered ? t('emptyText') : t('emptyAll'))}
          action={
            <>
              {props.filtered && (
                <Button variant="default" onClick={props.onReset}>
                  {t('resetFilters')}
                </Button>
              )}
              {OwnAction && <OwnAction />}
            </>
          }
        />
      );
    }
    case 'noMatch':
      return (
        <EmptyState
          icon={<IconSearchOff size={26} />}
          title={t('noMatch', { text: props.text })}
          action={
            <Button variant="default" onClick={props.onClear}>
              {t('clearSearch')}
            </Button>
          }
        />
      );
    case 'tooMany':
      return <TooManyPanel />;
    case 'unreachable':
      return <UnreachablePanel onRetry={props.onRetry} />;
    case 'error':
      return <ErrorPanel onRetry={props.onRetry} />;
  }
}

/** Placeholder rows during the first load. */
const SKELETON_ROWS = 15;

const rows = Array.from({ length: SKELETON_ROWS }, (_, index) => `row ${index}`);

/** Placeholders for the rows of a table, or for cards (`compact` ones are lower), while a list loads. */
export function SkeletonRows({ cards, compact = false }: { cards: boolean; compact?: boolean }) {
  const { t } = useTranslation('list');
  return (
    <div
      className={cards ? styles.cards : styles.rows}
      data-compact={compact || undefined}
      role="status"
      aria-label={t('loading')}
    >
      {rows.map((row) => (
        <div key={row} className={styles.row}>
          <span className={styles.narrow} />
          <span className={styles.wide} />
          <span className={styles.half} />
          <span className={styles.narrow} />
          <span className={styles.half} />
        </div>
      ))}
    </div>
  );
}

interface OfflineRowsAgeProps {
  query: { dataUpdatedAt: number; isPlaceholderData: boolean };
}

/** While the browser is offline, says when the visible rows were loaded, and whether they are those of the search before; else nothing. */
export function OfflineRowsAge({ query: { dataUpdatedAt, isPlaceholderData } }: OfflineRowsAgeProps) {
  const { t } = useTranslation('list');
  const { time } = useFormats();
  const online = useOnline();
  // Placeholder data has no time of its own.
  const loaded = useRef(0);
  useEffect(() => {
    if (!isPlaceholderData) loaded.current = dataUpdatedAt;
  }, [dataUpdatedAt, isPlaceholderData]);
  if (online) return null;
  const at = { time: time(isPlaceholderData ? loaded.current : dataUpdatedAt) };
  return <p className={styles.age}>{isPlaceholderData ? t('rowsOfBefore', at) : t('rowsOf', at)}</p>;
}
