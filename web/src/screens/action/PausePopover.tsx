import { Button, Popover } from '@mantine/core';
import { IconCalendarPause } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { Hint } from '~/ui/buttons';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Action.module.css';
import type { Opened } from './acts';

const PauseForm = lazyPart(() => import('./PauseForm').then((module) => module.PauseForm));

interface Props {
  row: CaseRow;
  opened: boolean;
  onOpen(opened: Opened | undefined): void;
}

/** A button that asks until when no reminder is to leave. */
export function PausePopover({ row, opened, onOpen }: Props) {
  const { t } = useTranslation('action');
  const close = () => onOpen(undefined);
  return (
    <Popover
      opened={opened}
      onChange={(open) => !open && close()}
      position="bottom-start"
      withArrow
      transitionProps={{ duration: 0 }}
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <span className={styles.anchor}>
          <Hint label={`${t('way.pause')} (z)`}>
            <Button
              size="compact-md"
              fz={13.5}
              variant="default"
              leftSection={<IconCalendarPause size={16} aria-hidden />}
              aria-keyshortcuts="z"
              aria-expanded={opened}
              onClick={() => onOpen(opened ? undefined : 'pause')}
            >
              {t('way.pause')}
            </Button>
          </Hint>
        </span>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('pause.title')}>
        {opened && <PauseForm row={row} onClose={close} />}
      </Popover.Dropdown>
    </Popover>
  );
}
