import { Button, CloseButton, TextInput } from '@mantine/core';
import { IconFilter, IconLink, IconSearch } from '@tabler/icons-react';
import { type FC, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { CopyButton } from '~/ui/buttons';
import { useKeys } from './cards/useKeys';
import type { ColumnChoice } from './columns';
import { ColumnChooser } from './columns';
import { ExportLink } from './ExportLink';
import styles from './ListScreen.module.css';
import type { Counter } from './types';

interface Props {
  title: string;
  counters: Counter[] | undefined;
  /** How many of the planned captures were valid. */
  coverage: ReactNode;
  text: string;
  onText(text: string): void;
  columnChoice: ColumnChoice | undefined;
  /** The saved views menu, if there is anything to save. */
  views: ReactNode;
  exportCsv: string | undefined;
  exportName: string;
  /** Undefined for a list without filters. */
  filters: { count: number; onOpen(): void } | undefined;
  actions: FC | undefined;
}

/** A list's title, counters and coverage, its search box (focused by the key `/`) and its tools. The box only reports its text. */
export function ListHeading({ actions: Actions, filters, ...props }: Props) {
  const { t } = useTranslation('list');
  const box = useRef<HTMLInputElement>(null);
  useKeys(useMe().id, { '/': () => box.current?.focus() });
  return (
    <header className={styles.heading}>
      <div className={styles.what}>
        <h1 className={styles.title} tabIndex={-1}>
          {props.title}
        </h1>
        <ul className={styles.counters} aria-live="polite">
          {props.counters?.map(({ key, value, label }) => (
            <li key={key}>
              <strong>{value}</strong> {label}
            </li>
          ))}
        </ul>
        {props.coverage}
      </div>
      <div className={styles.tools}>
        <TextInput
          ref={box}
          className={styles.search}
          type="search"
          aria-keyshortcuts="/"
          aria-label={t('search')}
          placeholder={t('search')}
          leftSection={<IconSearch size={16} />}
          rightSection={
            props.text && (
              <CloseButton
                size="sm"
                aria-label={t('clearSearch')}
                onClick={() => {
                  props.onText('');
                  box.current?.focus();
                }}
              />
            )
          }
          value={props.text}
          onChange={(event) => props.onText(event.currentTarget.value)}
        />
        <CopyButton text={() => window.location.href} label={t('copyAddress')} icon={<IconLink size={18} />} />
        {props.columnChoice && <ColumnChooser choice={props.columnChoice} />}
        {props.views}
        {props.exportCsv && <ExportLink href={props.exportCsv} name={props.exportName} />}
        {filters && (
          <Button
            // Only one button of the heading is filled: the list's own action, if it has one.
            variant={Actions ? 'default' : 'filled'}
            aria-haspopup="dialog"
            leftSection={<IconFilter size={16} />}
            rightSection={
              filters.count > 0 && (
                <span className={styles.count}>
                  <span aria-hidden>{filters.count}</span>
                  <span className="visually-hidden">{t('filtersActive', { count: filters.count })}</span>
                </span>
              )
            }
            onClick={filters.onOpen}
          >
            {t('filters')}
          </Button>
        )}
        {Actions && <Actions />}
      </div>
    </header>
  );
}

/** The rows whose `rowText` contains every word of a text, in any case and order; all rows for a blank text. */
export function matchingRows<Row>(rows: readonly Row[], text: string, rowText: (row: Row) => string): Row[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...rows];
  return rows.filter((row) => {
    const own = rowText(row).toLowerCase();
    return wanted.every((word) => own.includes(word));
  });
}
