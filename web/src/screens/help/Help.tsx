import { Loader } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { GUIDE, type GuidePage, type GuideSection } from '~/lib/guide';
import { useHandheld } from '~/ui/environment';
import { ErrorPanel } from '~/ui/feedback';
import { useOwnTitle } from '~/ui/pageTitle';
import { Article } from './Article';
import { GUIDE_PAGES, guideQuery } from './guidePages';
import styles from './Help.module.css';
import { type Heading, readPage } from './headings';

const SECTIONS = Object.keys(GUIDE) as GuideSection[];

/** The contents of the user guide: every page with what it is about. */
export function HelpContents() {
  const { t } = useTranslation('help');
  return (
    <div className={styles.contents}>
      <h1 className={styles.title} tabIndex={-1}>
        {t('title')}
      </h1>
      <p className={styles.lead}>{t('lead')}</p>
      {SECTIONS.map((section) => (
        <section key={section} aria-labelledby={`guide-${section}`}>
          <h2 id={`guide-${section}`} className={styles.group}>
            {t(`section.${section}`)}
          </h2>
          <ul className={styles.cards}>
            {GUIDE[section].map((page) => (
              <li key={page}>
                <Link to="/help/$page" params={{ page }} className={styles.card}>
                  <span className={styles.cardTitle}>{t(`page.${page}`)}</span>
                  <span className={styles.cardText}>{t(`about.${page}`)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** One page of the user guide beside the list of all. */
export function HelpPage() {
  const { t, i18n } = useTranslation('help');
  const handheld = useHandheld();
  const page = useParams({ from: '/help/$page' }).page as GuidePage;
  const { data, isError, refetch } = useQuery(guideQuery(i18n.language, page));
  const read = useMemo(() => (data === undefined ? undefined : readPage(data)), [data]);
  useOwnTitle(t(`page.${page}`));
  useHashInSight(read);
  const pages = <PageList page={page} />;
  return (
    <div className={styles.page}>
      {handheld ? (
        <details key={page} className={styles.chooser}>
          <summary>{t('pages')}</summary>
          {pages}
        </details>
      ) : (
        pages
      )}
      <article className={styles.article} key={page}>
        {!read && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
        {read && <Article blocks={read.blocks} />}
        {read && <Neighbours page={page} />}
      </article>
      {read && <OnThisPage headings={read.headings} />}
    </div>
  );
}

/** Brings what the address points to into sight once the page is there; the router has looked for it before. */
function useHashInSight(page: unknown): void {
  const hash = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.hash });
  useEffect(() => {
    if (!page || !hash) return;
    const heading = document.getElementById(hash);
    heading?.scrollIntoView();
    heading?.focus({ preventScroll: true });
  }, [page, hash]);
}

function PageList({ page: current }: { page: GuidePage }) {
  const { t } = useTranslation('help');
  return (
    <nav className={styles.pages} aria-label={t('pages')}>
      <Link to="/help" className={styles.all} activeOptions={{ exact: true }}>
        {t('title')}
      </Link>
      {SECTIONS.map((section) => (
        <div key={section}>
          <p className={styles.group}>{t(`section.${section}`)}</p>
          <ul>
            {GUIDE[section].map((page) => (
              <li key={page}>
                <Link
                  to="/help/$page"
                  params={{ page }}
                  className={styles.entry}
                  aria-current={page === current ? 'page' : undefined}
                >
                  {t(`page.${page}`)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Links to the parts of a page; nothing for a page with fewer than two. */
function OnThisPage({ headings }: { headings: readonly Heading[] }) {
  const { t } = useTranslation('help');
  const parts = headings.filter(({ depth }) => depth === 2);
  if (parts.length < 2) return null;
  return (
    <nav className={styles.parts} aria-label={t('onThisPage')}>
      <p className={styles.group}>{t('onThisPage')}</p>
      <ul>
        {parts.map(({ text, anchor }) => (
          <li key={anchor}>
            <Link to="." hash={anchor} className={styles.entry}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Neighbours({ page }: { page: GuidePage }) {
  const { t } = useTranslation('help');
  const at = GUIDE_PAGES.indexOf(page);
  const before = at > 0 ? GUIDE_PAGES[at - 1] : undefined;
  const after = GUIDE_PAGES[at + 1];
  return (
    <nav className={styles.neighbours} aria-label={t('goOn')}>
      {before && (
        <Link to="/help/$page" params={{ page: before }} rel="prev">
          <IconChevronLeft size={16} aria-hidden />
          {t(`page.${before}`)}
        </Link>
      )}
      {after && (
        <Link to="/help/$page" params={{ page: after }} rel="next" className={styles.after}>
          {t(`page.${after}`)}
          <IconChevronRight size={16} aria-hidden />
        </Link>
      )}
    </nav>
  );
}
