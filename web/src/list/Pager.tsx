import { NativeSelect, UnstyledButton } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListSearch, PerPage } from '~/lib/listSearch';
import { lazyPart } from '~/ui/lazyPart';
import styles from './ListScreen.module.css';

const ShowAllWarning = lazyPart(() => import('./ShowAllWarning').then((module) => module.ShowAllWarning));

interface Props {
  search: ListSearch;
  sizes: readonly PerPage[];
  /** Rows over all pages. */
  total: number;
  /** Rows of this page. */
  shown: number;
  hasNext: boolean;
  hasPrevious: boolean;
  /** Shows the current page only, without its neighbours. */
  compact: boolean;
  onPage(page: number): void;
  onPerPage(size: PerPage): void;
}

/** Says which rows are shown, and chooses the page and its size by callbacks; asks for confirmation before all rows are chosen. */
export function Pager({ search, sizes, total, shown, hasNext, hasPrevious, compact, onPage, onPerPage }: Props) {
  const { t } = useTranslation('list');
  const [warning, setWarning] = useState(false);
  const sizeId = useId();
  const { page, perPage } = search;
  const pages = pageCount(total, perPage);
  // A size from the address is offered as long as it is the current one.
  const offered = sizes.includes(perPage) ? sizes : [perPage, ...sizes];
  const first = perPage === 'all' ? 1 : (page - 1) * perPage + 1;

  const choose = (value: string) => {
    if (value === 'all') setWarning(true);
    else onPerPage(Number(value));
  };

  return (
    <footer className={styles.pager}>
      <div className={styles.size}>
        <label htmlFor={sizeId} className={compact ? 'visually-hidden' : undefined}>
          {t('rowsPerPage')}
        </label>
        <NativeSelect
          id={sizeId}
          w={110}
          value={String(perPage)}
          data={offered.map((size) => ({ value: String(size), label: size === 'all' ? t('showAll') : String(size) }))}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        <span className={styles.range}>{t('range', { first, last: first + shown - 1, total })}</span>
      </div>
      <nav className={styles.pages} aria-label={t('pages')}>
        <UnstyledButton
          className={styles.page}
          aria-label={t('previous')}
          disabled={!hasPrevious}
          onClick={() => onPage(page - 1)}
        >
          <IconChevronLeft size={16} />
        </UnstyledButton>
        {compact ? (
          <span className={styles.current}>{t('pageOf', { page, pages })}</span>
        ) : (
          pageWindow(page, pages).map((number) => (
            <UnstyledButton
              key={number}
              className={styles.page}
              aria-label={t('page', { page: number })}
              aria-current={number === page ? 'page' : undefined}
              onClick={() => onPage(number)}
            >
              {number}
            </UnstyledButton>
          ))
        )}
        <UnstyledButton
          className={styles.page}
          aria-label={t('next')}
          disabled={!hasNext}
          onClick={() => onPage(page + 1)}
        >
          <IconChevronRight size={16} />
        </UnstyledButton>
      </nav>
      {warning && (
        <ShowAllWarning
          total={total}
          onClose={() => setWarning(false)}
          onConfirm={() => {
            setWarning(false);
            onPerPage('all');
          }}
        />
      )}
    </footer>
  );
}

/** Pages shown before and after the current one. */
const NEIGHBOURS = 5;

/** How many pages a list has. */
export const pageCount = (total: number, perPage: number | 'all'): number =>
  perPage === 'all' ? 1 : Math.max(1, Math.ceil(total / perPage));

/** The page numbers offered around the current one. */
export function pageWindow(page: number, pages: number): number[] {
  const first = Math.max(1, page - NEIGHBOURS);
  const last = Math.min(pages, page + NEIGHBOURS);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
