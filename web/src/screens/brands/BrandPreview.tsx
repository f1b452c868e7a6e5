import { Loader } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { MatchPreview } from '~/api/queries/brandMatch';
import { Live } from '~/ui/indicators';
import { Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './BrandPreview.module.css';

type Examples = MatchPreview['meta'];
/** Start and end in UTF-16 code units. */
type Range = readonly number[];

interface Props {
  /** Undefined before the first pattern. */
  preview: MatchPreview | undefined;
  loading: boolean;
  failed: boolean;
}

/** What the patterns of the form would do to the present terms, in counts and examples. */
export function BrandPreview({ preview, loading, failed }: Props) {
  const { t } = useTranslation('brands');
  const fmt = useFormats();
  if (!preview) {
    return (
      <section className={styles.panel} aria-label={t('preview.title')}>
        <p className={styles.empty}>
          {failed ? t('preview.failed') : loading ? <Loader size={20} /> : t('preview.empty')}
        </p>
      </section>
    );
  }
  const { data, meta } = preview;
  const figures = [
    ['linked', data.linked === 0 ? '0' : `+${fmt.count(data.linked)}`],
    ['excluded', fmt.count(data.excluded)],
    ['contested', fmt.count(data.contested)],
    ['released', data.released === 0 ? '0' : `−${fmt.count(data.released)}`],
  ] as const;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
    <section className={styles.panel} aria-label={t('preview.title')} aria-busy={loading} tabIndex={0}>
      <header className={styles.heading}>
        <p aria-live="polite">
          <strong>{fmt.count(data.matching)}</strong> {t('preview.of', { count: data.matching, total: data.total })}
        </p>
        {loading ? <Loader size={14} /> : <Live label={t('preview.live')} />}
      </header>
      <dl className={styles.figures}>
        {figures.map(([name, figure]) => (
          <div key={name} data-figure={name}>
            <dt>{t(`preview.${name}`)}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      <Terms title={t('preview.newlyLinked')} terms={meta.newlyLinked} total={data.linked} />
      <Terms
        title={t('preview.contestedTerms')}
        terms={meta.contested}
        total={data.contested}
        tone="warn"
        note={({ brand, wins }) => t(wins ? 'preview.wins' : 'preview.loses', { brand: brand.label ?? brand.id })}
      />
      <Terms
        title={t('preview.excludedTerms')}
        terms={meta.excluded}
        total={data.excluded}
        tone="bad"
        ranges={({ by }) => by}
        note={({ term, by: [first] }) => first && t('preview.by', { words: term.slice(first[0], first[1]) })}
      />
      <Terms title={t('preview.releasedTerms')} terms={meta.released} total={data.released} tone="bad" />
      <Terms title={t('preview.alreadyLinked')} terms={meta.alreadyLinked} total={data.alreadyLinked} />
    </section>
  );
}

interface TermsProps<Term extends Examples['newlyLinked'][number]> {
  title: string;
  terms: readonly Term[];
  /** Including those that are not among the examples. */
  total: number;
  tone?: 'warn' | 'bad';
  /** What is marked in a term; where the pattern is found, unless given. */
  ranges?(term: Term): readonly Range[];
  note?(term: Term): ReactNode;
}

/**
 * A heading with how many terms there are, some of them with the parts at `ranges` marked, and how many more there are. Renders nothing without
 * terms.
 */
function Terms<Term extends Examples['newlyLinked'][number]>(props: TermsProps<Term>) {
  const { title, terms, total, tone, ranges = ({ at }) => at, note } = props;
  const { t } = useTranslation('brands');
  const fmt = useFormats();
  if (terms.length === 0) return null;
  return (
    <>
      <h3 className={styles.group}>
        {title} <span>{fmt.count(total)}</span>
      </h3>
      <ul className={styles.terms} data-tone={tone}>
        {terms.map((term) => (
          <li key={term.id}>
            <span className={styles.term}>
              <Marked text={term.term} ranges={ranges(term)} />
            </span>
            {note && <span className={styles.note}>{note(term)}</span>}
            {term.country && <Flag code={term.country} label={fmt.country(term.country)} />}
          </li>
        ))}
      </ul>
      {total > terms.length && <p className={styles.more}>{t('preview.more', { count: total - terms.length })}</p>}
    </>
  );
}

/** A text with the parts at `ranges` marked. Ranges are in UTF-16 units, in order, and do not overlap. */
function Marked({ text, ranges }: { text: string; ranges: readonly Range[] }) {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const [start = 0, end = 0] of ranges) {
    parts.push(
      <Fragment key={start}>
        {text.slice(from, start)}
        <mark>{text.slice(start, end)}</mark>
      </Fragment>,
    );
    from = end;
  }
  return [...parts, text.slice(from)];
}
