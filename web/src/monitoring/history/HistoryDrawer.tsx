import { Button, Drawer, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '~/ui/useReturnFocus';
import styles from './history.module.css';

/** Pages of a query, as far as a drawer shows how they load. */
interface Found {
  isPending: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch(): unknown;
  fetchNextPage(): unknown;
}

interface Props {
  title: string;
  found: Found;
  /** What is shown in place of the children if nothing could be loaded. */
  failed: string;
  children: ReactNode;
  footer?: ReactNode;
  onClose(): void;
}

/** A drawer with what a query has found, a spinner until then. */
export function HistoryDrawer({ title, found, failed, children, footer, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('common');
  const texts = useTranslation('history').t;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={520}
      title={title}
      overlayProps={{ backgroundOpacity: 0.35 }}
      closeButtonProps={{ 'aria-label': t('close') }}
      classNames={{ content: styles.content, title: styles.title, header: styles.header, body: styles.body }}
    >
      <div className={styles.found}>
        {found.isPending ? (
          <Loader aria-label={texts('loading')} className={styles.loader} />
        ) : found.isError ? (
          <div role="alert">
            <p>{failed}</p>
            <Button variant="default" onClick={() => found.refetch()}>
              {t('error.retry')}
            </Button>
          </div>
        ) : (
          children
        )}
      </div>
      {footer && <footer className={styles.footer}>{footer}</footer>}
    </Drawer>
  );
}

/** Loads the next page; nothing after the last one. */
export function More({ found }: { found: Found }) {
  const { t } = useTranslation('history');
  if (!found.hasNextPage) return null;
  return (
    <Button variant="default" loading={found.isFetchingNextPage} onClick={() => found.fetchNextPage()}>
      {t('more')}
    </Button>
  );
}
