import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ComparedProduct } from '~/api/queries/comparator';
import { only } from '~/lib/homeSearch';
import type { ListSearch } from '~/lib/listSearch';
import { useFormats } from '~/ui/useFormats';
import styles from './Comparator.module.css';
import { offerKey } from './prices';
import { useMoney } from './useMoney';

interface Props {
  product: ComparedProduct;
  /** Those of the page, for the list of domains behind a seller. */
  filters: ListSearch['filters'];
}

/** The sellers below the brand's own price, by which service, and by how much. */
export function Offers({ product, filters }: Props) {
  const { t } = useTranslation('comparator');
  const fmt = useFormats();
  const money = useMoney(product.currency);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={styles.scroll} aria-label={t('offers')} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('merchant')}</th>
            <th scope="col">{t('service')}</th>
            <th scope="col" className={styles.number}>
              {t('price')}
            </th>
            <th scope="col" className={styles.number}>
              {t('ownPrice')}
            </th>
            <th scope="col" className={styles.number}>
              {t('gap')}
            </th>
            <th scope="col" className={styles.number}>
              {t('date')}
            </th>
            <th scope="col" className={styles.number}>
              {t('daysBelow')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('capture')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {product.offers.map((offer) => (
            <tr key={offerKey(offer)}>
              <td>
                {offer.merchant}
                {offer.partner && (
                  <span className={styles.partner}>
                    {t(`partner.${offer.partner}`, { defaultValue: offer.partner })}
                  </span>
                )}
                <br />
                <Link
                  to="/domains"
                  search={{ ...filters, domain: only(offer.domain), type: only('shopping') }}
                  className={styles.link}
                >
                  {offer.domain}
                </Link>
              </td>
              <td>{offer.comparator || <span className={styles.dim}>{t('direct')}</span>}</td>
              <td className={styles.number}>{money(offer.price)}</td>
              <td className={styles.number}>{money(offer.ownPrice)}</td>
              <td className={styles.number}>{fmt.share(offer.gap)}</td>
              <td className={styles.number}>{fmt.date(offer.date)}</td>
              <td className={styles.number}>{fmt.count(offer.daysBelow)}</td>
              <td>
                <Link
                  to="/terms/capture/$requestID"
                  params={{ requestID: offer.capture }}
                  search={{ domain: offer.domain, adstype: 'shopping' }}
                  className={styles.link}
                >
                  {t('capture')}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
