import { useDeferredValue } from 'react';
import { useTranslation } from 'react-i18next';
import type { Ad } from '~/api/queries/ads';
import { useCountries } from '~/ui/useCountries';
import { useFormats } from '~/ui/useFormats';
import { AdRow } from './AdRow';
import styles from './AdTable.module.css';

/** Ads that can be in sight at once; the others are drawn after them. */
const FIRST_ADS = 8;

interface Props {
  kind: 'ads' | 'shopping';
  ads: readonly Ad[];
}

/** The ads of one kind. */
export function AdTable({ kind, ads }: Props) {
  const { t } = useTranslation(['portal', 'market']);
  const fmt = useFormats();
  const { name: country } = useCountries();
  const drawn = useDeferredValue(ads, ads.slice(0, FIRST_ADS));
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{t(kind === 'ads' ? 'advertisement' : 'shopping')}</th>
          <th scope="col">{t('action')}</th>
          <th scope="col">{t('support')}</th>
          <th scope="col">{t('location')}</th>
          <th scope="col">{t('keywords')}</th>
          <th scope="col">{t('position')}</th>
          <th scope="col">{t('keyDates')}</th>
        </tr>
      </thead>
      <tbody>
        {drawn.map((ad) => (
          <AdRow
            key={[ad.resultId, ad.title, ad.description, ad.displayUrl, ad.image, ad.price].join('\n')}
            ad={ad}
            t={t}
            fmt={fmt}
            country={country}
          />
        ))}
      </tbody>
    </table>
  );
}
