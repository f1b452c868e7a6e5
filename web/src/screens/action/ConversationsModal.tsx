import { CloseButton, Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { withoutAccents } from '~/lib/accents';
import { dayjs, lastDays } from '~/lib/dates';
import type { Tools } from '~/list/types';
import { Hint } from '~/ui/buttons';
import { useHandheld } from '~/ui/environment';
import { useReturnFocus } from '~/ui/useReturnFocus';
import page from './Action.module.css';
import { ConversationTable, useConversations } from './Conversations';
import styles from './Conversations.module.css';

/** How far back the first filter reaches: further than its label says (contradiction C2), which its dates put right. */
const SEEN_DAYS = 100;

/** The filters that the window opens with. */
const FILTERS = ['seen', 'status'] as const;

type Filter = (typeof FILTERS)[number];

/** What the search looks in. */
const textOf = (row: CaseRow, tools: Tools): string =>
  withoutAccents(
    [
      row.domain,
      row.brand,
      row.engine,
      ...row.countries.map((code) => `${code} ${tools.fmt.country(code)}`),
      tools.t(`advertisers:status.${row.status}`),
    ].join(' '),
  );

/** Every other case of an advertiser, with a search and two filters that can be taken away. */
export function ConversationsModal({ row, tools, onClose }: { row: CaseRow; tools: Tools; onClose(): void }) {
  useReturnFocus();
  const { t } = useTranslation(['action', 'advertisers']);
  const common = useTranslation('common').t;
  const handheld = useHandheld();
  const { others = [] } = useConversations(row);
  const [text, setText] = useState('');
  const [filters, setFilters] = useState<readonly Filter[]>(FILTERS);
  const seen = lastDays(SEEN_DAYS, dayjs());
  const fits = (other: CaseRow) =>
    (!filters.includes('seen') ||
      (typeof other.lastView === 'string' && !dayjs(other.lastView).isBefore(dayjs(seen.start)))) &&
    (!filters.includes('status') || other.status === 'new') &&
    textOf(other, tools).includes(withoutAccents(text.trim()));
  const rows = others.filter(fits);
  const hint = {
    seen: t('conversations.seenOf', { start: tools.fmt.date(seen.start), end: tools.fmt.date(seen.end) }),
    status: t('conversations.status'),
  };
  const label = { seen: t('conversations.seen'), status: t('advertisers:status.new') };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('conversations.title')}
      size={920}
      fullScreen={handheld}
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <TextInput
        type="search"
        aria-label={t('conversations.search')}
        placeholder={t('conversations.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <fieldset className={styles.chips} aria-label={t('conversations.filters')}>
        {filters.map((filter) => (
          <Hint key={filter} label={hint[filter]}>
            <span className={styles.chip}>
              <span className="sentence">{label[filter]}</span>
              <CloseButton
                size={24}
                aria-label={t('conversations.remove', { label: label[filter] })}
                aria-description={hint[filter]}
                onClick={() => setFilters(filters.filter((one) => one !== filter))}
              />
            </span>
          </Hint>
        ))}
        {filters.length < FILTERS.length && (
          <button type="button" className={page.link} onClick={() => setFilters(FILTERS)}>
            {t('conversations.restore')}
          </button>
        )}
        <span role="status" className={styles.shown}>
          {t('conversations.shown', { count: rows.length })}
        </span>
      </fieldset>
      {rows.length > 0 ? (
        <div className={styles.scroll}>
          <ConversationTable rows={rows} tools={tools} compact={handheld} brands />
        </div>
      ) : (
        <p className={page.dim}>{t(others.length === 0 ? 'conversations.empty' : 'conversations.noMatch')}</p>
      )}
    </Modal>
  );
}
