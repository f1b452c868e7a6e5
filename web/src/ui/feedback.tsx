import { Button } from '@mantine/core';
import { IconCloudOff, IconFilterExclamation, IconLogout, IconRefresh, IconWifiOff } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useOnline } from './environment';
import styles from './feedback.module.css';
import { GuideLink } from './GuideLink';

interface Props {
  onRetry: () => void;
  /** Offered when nothing else can be opened. */
  onSignOut?: (() => void) | undefined;
}

/** A panel that reports a failure, with a retry button and, given `onSignOut`, one to sign out. */
export function ErrorPanel(props: Props) {
  const { t } = useTranslation('common');
  return (
    <Panel icon={<IconCloudOff size={26} />} title={t('error.title')} {...props}>
      {t('error.text')}
    </Panel>
  );
}

/** A panel that reports a network failure and whether the browser is offline. Calls `onRetry` by itself once the browser is back online. */
export function UnreachablePanel(props: Props) {
  const { t } = useTranslation('common');
  const online = useOnline();
  const retry = useRef(props.onRetry);
  retry.current = props.onRetry;
  const wasOnline = useRef(online);
  useEffect(() => {
    if (online && !wasOnline.current) retry.current();
    wasOnline.current = online;
  }, [online]);
  return online ? (
    <Panel icon={<IconCloudOff size={26} />} title={t('unreachable.title')} {...props}>
      {t('unreachable.text')}
    </Panel>
  ) : (
    <Panel icon={<IconWifiOff size={26} />} title={t('offline.title')} {...props}>
      {t('offline.text')}
    </Panel>
  );
}

/** The layout of both failure panels: icon, title, text, a retry button and, given `onSignOut`, one to sign out. */
function Panel({
  icon,
  title,
  children,
  onRetry,
  onSignOut,
}: Props & { icon: ReactNode; title: string; children: ReactNode }) {
  const { t } = useTranslation('common');
  return (
    <div className={styles.panel} role="alert">
      <div className={`${styles.icon} ${styles.bad}`}>{icon}</div>
      <p className={styles.title}>{title}</p>
      <p className={styles.text}>{children}</p>
      <div className={styles.buttons}>
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={onRetry}>
          {t('error.retry')}
        </Button>
        {onSignOut && (
          <Button variant="subtle" leftSection={<IconLogout size={16} />} onClick={onSignOut}>
            {t('error.signOut')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Says that the query was too big. It offers no retry, since the filters must be narrowed first. */
export function TooManyPanel() {
  const { t } = useTranslation('common');
  return (
    <div className={styles.panel} role="alert">
      <div className={`${styles.icon} ${styles.warn}`}>
        <IconFilterExclamation size={26} />
      </div>
      <p className={styles.title}>{t('generic.tooMany')}</p>
    </div>
  );
}

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  text?: string;
  action?: ReactNode;
}

/**
 * What replaces an empty page or panel: an icon, why it is empty, what to do about it, and where the guide explains the screen. Announced to screen
 * readers.
 */
export function EmptyState({ icon, title, text, action }: EmptyStateProps) {
  return (
    <div className={styles.panel} role="status">
      <div className={styles.icon}>{icon}</div>
      <p className={styles.title}>{title}</p>
      {text && <p className={styles.text}>{text}</p>}
      {action}
      <GuideLink />
    </div>
  );
}
