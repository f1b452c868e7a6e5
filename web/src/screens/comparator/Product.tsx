import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ComparedProduct } from '~/api/queries/comparator';
import type { ListSearch } from '~/lib/listSearch';
import { lazyPart } from '~/ui/lazyPart';
import { Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './Comparator.module.css';
import { Offers } from './Offers';
import { useMoney } from './useMoney';

const PricesChart = lazyPart(() => import('./PricesChart').then((module) => module.PricesChart));

interface Props {
  product: ComparedProduct;
  filters: ListSearch['filters'];
  /** Whether it is open at first. */
  first: boolean;
}

/** A product with its own price and the lowest of others; opened, the prices by day and each offer. */
export function Product({ product, filters, first }: Props) {
  const { t } = useTranslation('comparator');
  const fmt = useFormats();
  const [open, setOpen] = useState(first);
  const id = useId();
  const { title, brandLabel, country, currency, unit, offers } = product;
  const [widest] = offers;
  const money = useMoney(currency);
  return (
    <li className={styles.product}>
      <UnstyledButton
        className={styles.row}
        aria-expanded={open}
        aria-controls={id}
        aria-label={t('open', { product: title })}
        onClick={() => setOpen(!open)}
      >
        <IconChevronRight size={18} aria-hidden className={styles.chevron} data-open={open || undefined} />
        <span className={styles.name}>
          <strong>{title}</strong>
          <span className={styles.dim}>
            <Flag code={country} label={fmt.country(country)} /> {brandLabel}
            {unit && ` · ${t('per', { unit: t(`units.${unit}`, { defaultValue: unit }) })}`}
          </span>
        </span>
        {widest && (
          <>
            <span className={styles.prices}>
              <strong>{money(widest.price)}</strong>
              <s className={styles.dim}>{money(widest.ownPrice)}</s>
            </span>
            <span className={styles.gap}>{t('gapOf', { share: fmt.share(widest.gap) })}</span>
          </>
        )}
        <span className={styles.sellers}>{t('sellers', { count: offers.length })}</span>
      </UnstyledButton>
      <div id={id} hidden={!open}>
        {open && (
          <div className={styles.details}>
            <figure className={styles.chart} aria-label={t('chart')}>
              <PricesChart product={product} />
            </figure>
            <p className={styles.dim}>
              {t('own')}: {money(product.ownPrice)} ·{' '}
              <Link
                to="/terms/capture/$requestID"
                params={{ requestID: product.ownCapture }}
                search={{}}
                className={styles.link}
              >
                {t('ownCapture')}
              </Link>
            </p>
            <Offers product={product} filters={filters} />
          </div>
        )}
      </div>
    </li>
  );
}
