import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { strandedQuery } from '~/api/queries/stopGo';
import { customerId } from '~/lib/customerId';
import { CopyButton } from '~/ui/buttons';
import styles from './StopGo.module.css';

/** Words of a list that are shown; all of them are copied. */
const SHOWN = 20;

/** What people have to remove in Google by hand; nothing as long as there is access to its accounts. */
export function StrandedBar() {
  const { t } = useTranslation('stopGo');
  const { data: lists } = useQuery(strandedQuery);
  if (!lists || lists.length === 0) return null;
  return (
    <div className={styles.stranded} role="alert">
      <h2>{t('stranded')}</h2>
      <p>{t('strandedText')}</p>
      {lists.map(({ customer, country, texts }) => (
        <div key={`${customer} ${country}`}>
          <p className={styles.strandedList}>
            <strong>{t('strandedList', { customer: customerId(customer), country })}</strong>
            <CopyButton text={() => texts.join('\n')} label={t('strandedCopy')} />
          </p>
          <ul>
            {texts.slice(0, SHOWN).map((text) => (
              <li key={text}>{text}</li>
            ))}
            {texts.length > SHOWN && <li>{t('strandedMore', { count: texts.length - SHOWN })}</li>}
          </ul>
        </div>
      ))}
      <Link className={styles.link} to="/google-connect">
        {t('strandedConnect')}
      </Link>
    </div>
  );
}
