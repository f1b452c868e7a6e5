import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { GoogleItem } from '~/api/queries/google';
import { customerId } from '~/lib/customerId';
import { useFormats } from '~/ui/useFormats';
import styles from './GoogleConnect.module.css';
import { Scope } from './Scope';

/** What an account is. */
export function ItemDetails({ item }: { item: GoogleItem }) {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const none = t('detail.none');
  const named = (id: string | null | undefined, ...more: (string | null | undefined)[]): ReactNode =>
    id ? (
      <>
        <strong>{customerId(id)}</strong>
        <span className={styles.dim}>{more.filter(Boolean).join(', ')}</span>
      </>
    ) : (
      none
    );
  const rows: [string, ReactNode][] = [
    [t('column.customer'), named(item.customerID, item.customerName, item.currency)],
    [t('detail.login'), named(item.loginCustomerID, item.loginCustomerName)],
    [t('column.brand'), <strong key="brand">{item.brandLabel ?? none}</strong>],
    [t('detail.expiration'), item.expiration ? fmt.date(item.expiration) : t('detail.noExpiration')],
    [t('column.domain'), item.analyticsDomain ?? none],
    [t('detail.site'), item.siteUrl ?? none],
    [t('column.scope'), <Scope key="scope" scope={item.scope} />],
    [t('column.createdDate'), fmt.date(item.createdDate)],
  ];
  return (
    <section className={styles.panel} aria-labelledby="google-details">
      <h2 id="google-details" className={styles.panelTitle}>
        {t('detail.title')}
      </h2>
      <dl className={styles.details}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
