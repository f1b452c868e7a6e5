import { Button, Menu } from '@mantine/core';
import {
  IconCalendarClock,
  IconChevronDown,
  IconCircleCheck,
  IconCircleX,
  IconPlayerTrackNext,
  IconSend,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ThenEvent } from '~/api/queries/caseMails';
import styles from './composer.module.css';

/** How a mail is sent. */
export interface SendWay {
  after?: ThenEvent;
  /** Opens the next case of the list. */
  next?: boolean;
}

interface Props {
  /** What may follow, as the case allows it. */
  ways: { next: boolean; accept: boolean; refuse: boolean };
  sending: boolean;
  disabled: boolean;
  onSend(way: SendWay): void;
  onLater(): void;
}

const AFTERWARDS = [
  { after: 'accept', Icon: IconCircleCheck },
  { after: 'refuse', Icon: IconCircleX },
] as const;

/** Sends the mail, and beside it the other ways to. */
export function SendButton({ ways, sending, disabled, onSend, onLater }: Props) {
  const { t } = useTranslation('mailsOfCases');
  return (
    <div className={styles.send}>
      <Button
        leftSection={<IconSend size={17} aria-hidden />}
        aria-keyshortcuts="Control+Enter Meta+Enter"
        title={t('send.key')}
        loading={sending}
        disabled={disabled}
        onClick={() => onSend({})}
      >
        {t('send.now')}
      </Button>
      <Menu position="top-end" width="max-content">
        <Menu.Target>
          <Button aria-label={t('send.more')} px={9} disabled={disabled || sending}>
            <IconChevronDown size={17} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ways.next && (
            <Menu.Item leftSection={<IconPlayerTrackNext size={16} />} onClick={() => onSend({ next: true })}>
              {t('send.next')}
            </Menu.Item>
          )}
          {AFTERWARDS.map(
            ({ after, Icon }) =>
              ways[after] && (
                <Menu.Item key={after} leftSection={<Icon size={16} />} onClick={() => onSend({ after })}>
                  {t(`send.${after}`)}
                </Menu.Item>
              ),
          )}
          <Menu.Item leftSection={<IconCalendarClock size={16} />} onClick={onLater}>
            {t('send.later')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
