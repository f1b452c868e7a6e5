import { Button, Loader } from '@mantine/core';
import { IconMailForward } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { googleItemQuery, googleKey, renewInvitation } from '~/api/queries/google';
import { customerId } from '~/lib/customerId';
import { CopyButton } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { Budget } from './Budget';
import styles from './GoogleConnect.module.css';
import { Health } from './Health';
import { ItemDetails } from './ItemDetails';
import { ItemKeywords } from './ItemKeywords';
import { Retrievals } from './Retrievals';
import { Statistics } from './Statistics';

/** A linked account: what it is, its keywords, what is being read, and its figures. */
export function GoogleItemPage() {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const queries = useQueryClient();
  const id = Number(useParams({ from: '/google-connect/$id' }).id);
  const { data: item, isError, refetch } = useQuery(googleItemQuery(id));
  const [invitation, setInvitation] = useState<{ url: string; expiration: string }>();
  const renew = useMutation({
    mutationFn: () => renewInvitation(id),
    onSuccess: (made) => {
      setInvitation(made);
      toast.success(t('renewed'));
    },
    onError: (error) => toast.error(t('renewFailed'), errorText(error, common)),
    onSettled: () => void queries.invalidateQueries({ queryKey: [...googleKey, 'item', id] }),
  });
  if (!item) return isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />;
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {item.brandLabel ?? customerId(item.customerID)}
        </h1>
        <Health item={item} />
        <Button
          variant="default"
          className={styles.end}
          leftSection={<IconMailForward size={16} />}
          loading={renew.isPending}
          onClick={() => renew.mutate()}
        >
          {t('renew')}
        </Button>
      </header>
      {invitation && (
        <section className={styles.invitation} role="status">
          <span>{t('invitation.link', { date: fmt.date(invitation.expiration) })}</span>
          <code className={styles.address}>{invitation.url}</code>
          <CopyButton text={() => invitation.url} label={t('invitation.copy')} copied={t('invitation.copied')} />
        </section>
      )}
      <div className={styles.columns}>
        <div className={styles.side}>
          <ItemDetails item={item} />
          <ItemKeywords item={item} />
        </div>
        <div className={styles.main}>
          <section className={styles.panel} aria-label={t('budget.title')}>
            <div className={styles.panelHead}>
              <h2 className={styles.panelTitle}>{t('budget.title')}</h2>
              <Budget />
            </div>
          </section>
          <Retrievals id={id} />
          <Statistics id={id} />
        </div>
      </div>
    </div>
  );
}
