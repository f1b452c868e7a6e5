import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import styles from './Action.module.css';
import type { Opened } from './acts';
import { CaseHistory } from './CaseHistory';
import { CaseTags } from './CaseTags';
import { Conversations, useConversations } from './Conversations';

interface Props {
  row: CaseRow;
  tools: Tools;
  /** What comes next. */
  step: ReactNode;
  onOpen(opened: Opened): void;
}

/** What comes next, and a button that unfolds tags, history and other conversations below it. */
export function CaseStrip({ row, tools, step, onOpen }: Props) {
  const { t } = useTranslation(['action', 'actions']);
  const [unfolded, setUnfolded] = useState(false);
  const { others } = useConversations(row);
  const parts = [
    t('actions:page.tags'),
    t('actions:page.history'),
    `${t('conversations.short')}${others ? ` (${tools.fmt.count(others.length)})` : ''}`,
  ];
  return (
    <div className={styles.strip}>
      {step}
      <button
        type="button"
        className={styles.fold}
        aria-expanded={unfolded}
        aria-controls="case-parts"
        onClick={() => setUnfolded(!unfolded)}
      >
        <span>{parts.join(' · ')}</span>
        <IconChevronDown size={16} aria-hidden />
      </button>
      <div id="case-parts" className={styles.parts} hidden={!unfolded}>
        {unfolded && (
          <>
            <CaseTags row={row} onOpen={onOpen} />
            <CaseHistory row={row} tools={tools} onOpen={onOpen} />
            <Conversations row={row} tools={tools} onOpen={onOpen} />
          </>
        )}
      </div>
    </div>
  );
}
