import { useTranslation } from 'react-i18next';
import type { Reviewed } from '~/api/queries/operations';
import styles from './ReviewDetail.module.css';

interface Props {
  run: Reviewed;
  /** The ad the page stands at. */
  shown: number | undefined;
  onShow: (ad: number) => void;
}

/** The ads that were read, in the order of the page; one that is chosen is looked up on it. */
export function ReadAds({ run, shown, onShow }: Props) {
  const { t } = useTranslation('operations');
  const { ads, shopping, read } = run;
  return (
    <section className={styles.read} aria-label={t('review.read')}>
      <h4 className={styles.readTitle}>
        {t('review.read')}
        {ads != null && shopping != null && <span>{t('review.counts', { ads, shopping })}</span>}
      </h4>
      {read.length === 0 && (
        <p className={styles.nothing}>{t(ads == null ? 'review.notRead' : 'review.nothingRead')}</p>
      )}
      <ol className={styles.ads}>
        {read.map((ad) => (
          <li key={ad.mark}>
            <button
              type="button"
              className={styles.ad}
              aria-pressed={ad.mark === shown}
              data-mark={ad.mark}
              onClick={() => onShow(ad.mark)}
            >
              <span className={styles.rank}>{ad.realPosition}</span>
              <span className={styles.adText}>
                <strong>{ad.title}</strong>
                <span className={styles.domain}>
                  {ad.domain || t('ad.noDomain')} · {t(ad.kind === 'shopping' ? 'ad.shopping' : 'ad.ads')}
                  {ad.price && ` · ${ad.price}`}
                </span>
                {ad.description && <span className={styles.description}>{ad.description}</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
