import { Button, Loader } from '@mantine/core';
import {
  IconBellPlus,
  IconBellRinging,
  IconEye,
  IconMailbox,
  IconRefreshAlert,
  IconTemplate,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Alert, alertsQuery } from '~/api/queries/alerts';
import { isAdmin, useMe } from '~/api/session';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { AlertCard } from './AlertCard';
import styles from './Alerts.module.css';
import type { Hook } from './alertValues';
import { browserZone } from './words';

const AlertTexts = lazyPart(() => import('./AlertTexts').then((module) => module.AlertTexts));
const AlertForm = lazyPart(() => import('./AlertForm').then((module) => module.AlertForm));

/** What is offered to begin with. */
const OFFERS = [
  { name: 'digest', hook: undefined, Icon: IconMailbox },
  { name: 'newAdvertiser', hook: 'action.new', Icon: IconEye },
  { name: 'relapse', hook: 'action.reappearance', Icon: IconRefreshAlert },
] as const satisfies { name: string; hook: Hook | undefined; Icon: typeof IconEye }[];

/** What the form is open for: a stored alert, or a new one, of an event if one is named. */
type Opened = { alert: Alert } | { hook: Hook | undefined };

/** The alerts of the reader, or for staff of everybody: when each is sent next, and a form for each. */
export function Alerts() {
  const { t } = useTranslation('alerts');
  const common = useTranslation('common').t;
  const { data, isError, refetch } = useQuery(alertsQuery);
  const [opened, setOpened] = useState<Opened>();
  const [areTextsOpen, setTextsOpen] = useState(false);
  const mayWriteTexts = isAdmin(useMe());
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.alerts')}
        </h1>
        {data && data.data.length > 0 && <span className={styles.dim}>{t('count', { count: data.data.length })}</span>}
        {mayWriteTexts && (
          <Button
            className={styles.add}
            variant="default"
            leftSection={<IconTemplate size={17} aria-hidden />}
            onClick={() => setTextsOpen(true)}
          >
            {t('texts.open')}
          </Button>
        )}
        <Button
          className={mayWriteTexts ? undefined : styles.add}
          leftSection={<IconBellPlus size={17} aria-hidden />}
          onClick={() => setOpened({ hook: undefined })}
        >
          {t('add')}
        </Button>
      </header>
      <p className={styles.dim}>{t('intro')}</p>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {data?.data.length === 0 && (
        <EmptyState
          icon={<IconBellRinging size={26} />}
          title={t('none')}
          text={t('noneText')}
          action={
            <div className={styles.offers}>
              {OFFERS.map(({ name, hook, Icon }) => (
                <Button
                  key={name}
                  variant="default"
                  leftSection={<Icon size={17} aria-hidden />}
                  onClick={() => setOpened({ hook })}
                >
                  {t(`offer.${name}`)}
                </Button>
              ))}
            </div>
          }
        />
      )}
      {data && data.data.length > 0 && (
        <ul className={styles.list} aria-label={common('title.alerts')}>
          {data.data.map((alert) => (
            <AlertCard key={alert.id} alert={alert} zone={data.zone} onEdit={() => setOpened({ alert })} />
          ))}
        </ul>
      )}
      {areTextsOpen && <AlertTexts onClose={() => setTextsOpen(false)} />}
      {opened && (
        <AlertForm
          alert={'alert' in opened ? opened.alert : undefined}
          hook={'hook' in opened ? opened.hook : undefined}
          zone={data?.zone ?? browserZone()}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}
