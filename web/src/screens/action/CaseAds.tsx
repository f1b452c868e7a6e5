import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import type { CaseRow } from '~/api/queries/actions';
import type { Ad } from '~/api/queries/ads';
import { AD_KINDS, type AdKind, caseAdCountQuery, caseAdsQuery } from '~/api/queries/caseDetails';
import { capturePage, publicPage, safeUrl } from '~/list/portal/adAddresses';
import { CopyButton } from '~/ui/buttons';
import { ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './CaseAds.module.css';
import { Disclosure } from './Disclosure';

/** The ads of a case by kind, a panel each that opens to the most viewed ones. */
export function CaseAds({ row }: { row: CaseRow }) {
  const { t } = useTranslation('action');
  const { getAdvertisements: get, countAdvertisements: count } = row.links;
  if (!get) return <p className={styles.noAds}>{t('ads.away')}</p>;
  return (
    <div className={styles.ads}>
      {AD_KINDS.map((kind) => (
        <AdPanel key={kind} kind={kind} get={get} count={count} />
      ))}
    </div>
  );
}

interface PanelProps {
  kind: AdKind;
  get: ServerLink;
  count: ServerLink | undefined;
}

/** The number of ads of a kind; they load when the panel is opened. Text ads are open at first. */
function AdPanel({ kind, get, count }: PanelProps) {
  const { t } = useTranslation('action');
  const fmt = useFormats();
  const { data: counts } = useQuery({ ...caseAdCountQuery(count ?? get), enabled: count !== undefined });
  return (
    <Disclosure
      title={t(kind === 'ads' ? 'ads.classical' : 'ads.shopping')}
      badge={counts && fmt.count(counts[kind])}
      isOpenAtFirst={kind === 'ads'}
    >
      <AdList kind={kind} get={get} />
    </Disclosure>
  );
}

/** The most viewed ads of a kind. */
function AdList({ kind, get }: { kind: AdKind; get: ServerLink }) {
  const { t } = useTranslation('action');
  const { data, isError, refetch } = useQuery(caseAdsQuery(get, kind));
  if (!data) return isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" m="md" />;
  if (data.length === 0) {
    return <p className={styles.noAds}>{t(kind === 'ads' ? 'ads.noClassical' : 'ads.noShopping')}</p>;
  }
  return (
    <ul className={styles.adList}>
      {data.map((ad) => (
        <AdEntry key={[ad.resultId, ad.title, ad.description, ad.displayUrl, ad.price].join('\n')} ad={ad} />
      ))}
    </ul>
  );
}

/** An ad with when it was seen last, its position and its capture, and a button that copies all of it as text. */
function AdEntry({ ad }: { ad: Ad }) {
  const { t } = useTranslation('action');
  const fmt = useFormats();
  const title = ad.title || ad.displayUrl || ad.domain;
  const target = safeUrl(ad.targetUrl);
  const rank = ad.realPositionAvg ?? ad.positionAvg;
  const seen = [
    fmt.minute(ad.advertisementLastSeen),
    ...(rank == null ? [] : [t('ads.position', { position: fmt.decimal(rank) })]),
  ];
  const texts = [ad.displayUrl, ad.description, [ad.price, ad.comparatorName].filter(Boolean).join(' · ')];
  const asText = () =>
    [title, ...texts, seen.join(', '), ad.pageKept ? publicPage(ad) : ''].filter((line) => line !== '').join('\n');
  return (
    <li className={styles.ad}>
      <p className={styles.adTitle}>
        {target ? (
          <a href={target} target="_blank" rel="noopener noreferrer nofollow">
            {title}
          </a>
        ) : (
          title
        )}
      </p>
      <span className={styles.adTools}>
        <CopyButton text={asText} label={t('ads.copy', { title })} copied={t('ads.copied')} />
      </span>
      {ad.displayUrl && <p className={styles.adUrl}>{ad.displayUrl}</p>}
      {ad.description && <p className={styles.adText}>{ad.description}</p>}
      {texts[2] && <p className={styles.adPrice}>{texts[2]}</p>}
      <p className={styles.adSeen}>
        {seen.join(' · ')} ·{' '}
        {ad.pageKept ? (
          <a href={capturePage(ad)} target="_blank" rel="noopener" aria-label={t('ads.captureOf', { title })}>
            {t('ads.capture')}
          </a>
        ) : (
          t('ads.notKept')
        )}
      </p>
    </li>
  );
}
