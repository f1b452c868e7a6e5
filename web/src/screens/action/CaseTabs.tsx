import { useQueries, useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { caseAdCountQuery, caseNotesQuery } from '~/api/queries/caseDetails';
import { useFormats } from '~/ui/useFormats';
import styles from './Action.module.css';
import { offeredNotes } from './Notes';

const TABS = ['case', 'mails', 'notes', 'ads'] as const;

export type Tab = (typeof TABS)[number];

/** The element of the panel of a tab. */
export const panelId = (tab: Tab): string => `case-panel-${tab}`;

/** The element of a tab. */
export const tabId = (tab: Tab): string => `case-tab-${tab}`;

interface Props {
  row: CaseRow;
  tab: Tab;
  onTab(tab: Tab): void;
}

/** The parts of a case behind tabs, with the number of mails, notes and ads. */
export function CaseTabs({ row, tab, onTab }: Props) {
  const { t } = useTranslation('action');
  const fmt = useFormats();
  const notes = useQueries({ queries: offeredNotes(row).map(({ get }) => caseNotesQuery(get)) });
  const { countAdvertisements } = row.links;
  const { data: ads } = useQuery({
    ...caseAdCountQuery(countAdvertisements ?? { method: 'GET', href: '' }),
    enabled: countAdvertisements !== undefined,
  });
  const counts: Readonly<Record<Tab, number | undefined>> = {
    case: undefined,
    mails: row.receivedCount + row.sendedCount,
    notes: notes.every(({ data }) => data) ? notes.reduce((sum, { data }) => sum + (data?.length ?? 0), 0) : undefined,
    ads: ads && ads.ads + ads.shopping,
  };
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
    if (by === 0 || !next) return;
    event.preventDefault();
    onTab(next);
    document.getElementById(tabId(next))?.focus();
  };
  return (
    <div className={styles.tabs} role="tablist" aria-label={t('tab.label')} tabIndex={-1} onKeyDown={move}>
      {TABS.map((one) => (
        <button
          key={one}
          id={tabId(one)}
          type="button"
          role="tab"
          className={styles.tab}
          aria-selected={one === tab}
          aria-controls={panelId(one)}
          tabIndex={one === tab ? 0 : -1}
          onClick={() => onTab(one)}
        >
          {t(`tab.${one}`)}
          {counts[one] ? (
            <span className={styles.badge} data-unread={(one === 'mails' && row.unreadCount > 0) || undefined}>
              {fmt.count(counts[one])}
            </span>
          ) : null}
        </button>
      ))}
    </div>
  );
}
