import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCasesOpen } from '~/api/flags';
import type { ListSearch } from '~/lib/listSearch';
import { ErrorPanel } from '~/ui/feedback';
import styles from './Home.module.css';

interface CardProps {
  id: string;
  title: string;
  className?: string | undefined;
  /** Beside the title. */
  more?: ReactNode;
  /** Whether the figures could not be loaded; `onRetry` loads them again. */
  failed: boolean;
  onRetry: () => void;
  children: ReactNode;
}

/** A part of the home page under its title; an error panel in place of the figures when they could not be loaded. */
export function Card({ id, title, className = '', more, failed, onRetry, children }: CardProps) {
  return (
    <section className={`${styles.card} ${className}`} aria-labelledby={id}>
      <header className={styles.cardHead}>
        <h2 id={id} className={styles.cardTitle}>
          {title}
        </h2>
        {more}
      </header>
      {failed ? <ErrorPanel onRetry={onRetry} /> : children}
    </section>
  );
}

interface FigureProps {
  /** The list behind the figure. */
  to: '/domains' | '/terms' | '/actions';
  filters: ListSearch['filters'];
  className?: string | undefined;
  label?: string | undefined;
  children?: ReactNode;
}

/** A figure that leads to the list behind it, with the same filters; the figure alone where that list is not open to the reader. */
export function FigureLink({ to, filters, className = styles.figureLink, label, children }: FigureProps) {
  return useCasesOpen() || to !== '/actions' ? (
    <Link to={to} search={filters} className={className} aria-label={label}>
      {children}
    </Link>
  ) : (
    <span className={className} data-plain>
      {children}
    </span>
  );
}

interface ChangeProps {
  children: string;
  /** Whether it is good for the brand; neither for a change that says nothing. */
  good?: boolean | undefined;
}

/** A change since the time before, as a badge. */
export function Change({ children, good }: ChangeProps) {
  const { t } = useTranslation('home');
  return (
    <span className={styles.change} data-good={good} title={t('versus')}>
      {children}
    </span>
  );
}
