import { Loader } from '@mantine/core';
import { IconLayoutDashboard } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { frameQuery } from '~/api/queries/stopGo';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import styles from './StopGo.module.css';

interface Props {
  entry: string;
  title: ParseKeys<'common'>;
}

/** A dashboard of somebody else, which the server fetches: it runs without our origin, and sees no credential. */
function Frame({ entry, title }: Props) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const { data: url, isError, isPending, refetch } = useQuery(frameQuery(entry));
  return (
    <div className={styles.page}>
      <h1 className={styles.title} tabIndex={-1}>
        {common(title)}
      </h1>
      {isPending && <Loader />}
      {isError && <ErrorPanel onRetry={() => void refetch()} />}
      {url === null && (
        <EmptyState icon={<IconLayoutDashboard size={26} />} title={t('noFrame')} text={t('noFrameText')} />
      )}
      {url && (
        <iframe
          className={styles.frame}
          src={url}
          title={common(title)}
          sandbox="allow-scripts allow-forms"
          referrerPolicy="no-referrer"
        />
      )}
    </div>
  );
}

/** The dashboard of Stop and Go, an entry of the user. */
export const StopGoDashboard = () => <Frame entry="stopgo-dashboard" title="title.stopGoDashboard" />;

/** The news of Stop and Go, a setting. */
export const StopGoNews = () => <Frame entry="stopgo-news" title="title.stopGoNews" />;
