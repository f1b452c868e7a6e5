import { useTranslation } from 'react-i18next';
import type { Stats } from '~/api/queries/home';
import { useFormats } from '~/ui/useFormats';
import { changeOf, shoppingShare } from './figures';
import styles from './Tiles.module.css';

interface Props {
  now: Stats | undefined;
  before: Stats | undefined;
}

/** The period's totals, each against the period before. */
export function Tiles({ now, before }: Props) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const share = now && shoppingShare(now);
  const tiles = [
    {
      label: t('tile.domains'),
      value: now && fmt.count(now.meta.totalDomains),
      change: changeOf(now?.meta.totalDomains, before?.meta.totalDomains),
    },
    {
      label: t('tile.ads'),
      value: now && fmt.count(now.meta.totalAds),
      change: changeOf(now?.meta.totalAds, before?.meta.totalAds),
    },
    {
      label: t('tile.views'),
      value: now && fmt.count(now.meta.totalViews),
      change: changeOf(now?.meta.totalViews, before?.meta.totalViews),
    },
    {
      label: t('tile.shopping'),
      value: share === undefined ? undefined : fmt.visibility(share * 100),
      change: changeOf(share, before && shoppingShare(before)),
    },
  ];
  return (
    <ul className={styles.tiles}>
      {tiles.map(({ label, value, change }) => (
        <li key={label} className={styles.tile}>
          <span className={styles.label}>{label}</span>
          {value === undefined ? (
            <span className={styles.waiting} />
          ) : (
            <strong className={styles.value}>{value}</strong>
          )}
          {change !== undefined && (
            <span className={styles.change} data-up={change >= 0}>
              {fmt.change(change)}
              <span className="visually-hidden"> {t('versus')}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
