import { IconLink, IconPhoto, IconScreenshot } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Ad } from '~/api/queries/ads';
import { productAddress } from '~/api/queries/captures';
import type { Formats } from '~/lib/formats';
import { CopyButton, Hint } from '~/ui/buttons';
import tool from '~/ui/buttons.module.css';
import { DeviceIcon, EngineIcon, Flag } from '~/ui/marketIcons';
import { useCountries, useFormats } from '~/ui/useFormats';
import { capturePage, publicPage, safeUrl } from './adAddresses';
import styles from './portal.module.css';

/** Ads visible at once; the rest render after them. */
const FIRST_ADS = 8;

interface Props {
  kind: 'ads' | 'shopping';
  ads: readonly Ad[];
}

/** A table of ads, all of one kind: `kind` sets the heading and filters nothing. The first `FIRST_ADS` render first. */
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

/** Keywords shown before 'more'. */
const FIRST_KEYWORDS = 4;

/** Passed down to rows: a hook in each would subscribe each to language changes. */
type PortalTexts = TFunction<['portal', 'market']>;

interface AdRowProps {
  ad: Ad;
  t: PortalTexts;
  fmt: Formats;
  /** The name of a country. */
  country(code: string): string;
}

/** The table row of one ad, with where and when it was seen; its position is that over the whole page if known. */
function AdRow({ ad, t, fmt, country }: AdRowProps) {
  const position = ad.realPositionAvg ?? ad.positionAvg;
  return (
    <tr>
      <td className={styles.ad}>
        <Advertisement ad={ad} t={t} />
      </td>
      <td data-label={t('action')}>
        <CaptureLinks ad={ad} t={t} />
      </td>
      <td data-label={t('support')}>
        <span className={styles.stack}>
          <span className={styles.pair}>
            <EngineIcon engine={ad.engine} /> {t(`market:engine.${ad.engine}`, { defaultValue: ad.engine })}
          </span>
          <span className={styles.pair}>
            <DeviceIcon device={ad.device} /> {t(`market:device.${ad.device}`, { defaultValue: ad.device })}
          </span>
        </span>
      </td>
      <td data-label={t('location')}>
        <span className={styles.pair}>
          <Flag code={ad.country} label={country(ad.country)} />
          {fmt.language(ad.language)}
        </span>
      </td>
      <td data-label={t('keywords')}>
        <Keywords words={ad.keywords} t={t} />
      </td>
      <td className={styles.position} data-label={t('position')}>
        {position === undefined || position === null ? '–' : fmt.adPosition(position)}
      </td>
      <td className={styles.dates} data-label={t('keyDates')}>
        <span className={styles.stack}>
          <span>
            <span className={styles.dim}>{t('firstSeen')}</span> {fmt.adMoment(ad.advertisementFirstSeen)}
          </span>
          <span>
            <span className={styles.dim}>{t('lastSeen')}</span> {fmt.adMoment(ad.advertisementLastSeen)}
          </span>
        </span>
      </td>
    </tr>
  );
}

/** A link to the captured page with the ad outlined, and a button that copies its public address; only a note if the page was not kept. */
function CaptureLinks({ ad, t }: { ad: Ad; t: PortalTexts }) {
  if (!ad.pageKept) return <span className={styles.dim}>{t('pageNotKept')}</span>;
  return (
    <span className={styles.pair}>
      <Hint label={t('capture')}>
        <a className={tool.tool} href={capturePage(ad)} target="_blank" rel="noopener" aria-label={t('capture')}>
          <IconScreenshot size={17} />
        </a>
      </Hint>
      <CopyButton
        text={() => publicPage(ad)}
        label={t('copyUrl')}
        copied={t('urlCopied')}
        icon={<IconLink size={17} />}
      />
    </span>
  );
}

/** An ad as it was shown: picture, title, texts, price and comparator, and its views. Only http(s) addresses become links. */
function Advertisement({ ad, t }: { ad: Ad; t: PortalTexts }) {
  const target = safeUrl(ad.targetUrl);
  const picture = safeUrl(ad.image);
  const title = ad.title || ad.displayUrl || ad.domain;
  return (
    <span className={styles.creative}>
      {picture && (
        <ExternalLink href={picture} label={t('picture')} className={styles.picture}>
          <Picture ad={ad} />
        </ExternalLink>
      )}
      <span className={styles.texts}>
        {target ? (
          <ExternalLink href={target} className={styles.headline}>
            {title}
          </ExternalLink>
        ) : (
          <span className={styles.headline}>{title}</span>
        )}
        {ad.displayUrl && <span className={styles.url}>{ad.displayUrl}</span>}
        {ad.description && <span className={styles.text}>{ad.description}</span>}
        {(ad.price || ad.comparatorName) && (
          <span className={styles.offer}>
            {ad.price && <strong>{ad.price}</strong>}
            {ad.comparatorName && <Comparator ad={ad} t={t} />}
          </span>
        )}
        <span className={styles.views}>{t('views', { count: ad.views })}</span>
      </span>
    </span>
  );
}

/** The picture from the captured page; an icon if that page is not kept. */
function Picture({ ad }: { ad: Ad }) {
  const [gone, setGone] = useState(!ad.pageKept);
  if (gone) return <IconPhoto size={20} aria-hidden />;
  return <img src={productAddress(ad.resultId, ad.image)} alt="" loading="lazy" onError={() => setGone(true)} />;
}

/** The comparison site of a shopping ad, as a link if its address may be opened. */
function Comparator({ ad, t }: { ad: Ad; t: PortalTexts }) {
  const address = safeUrl(ad.comparatorUrl);
  const name = t('by', { name: ad.comparatorName });
  return address ? <ExternalLink href={address}>{name}</ExternalLink> : <span>{name}</span>;
}

/** A link to another site, opened in a new tab without referrer; `label` is its tooltip and accessible name. */
function ExternalLink(props: {
  href: string;
  label?: string;
  className?: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <a
      className={props.className}
      href={props.href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      aria-label={props.label}
      title={props.label}
    >
      {props.children}
    </a>
  );
}

/** The first `FIRST_KEYWORDS` of the words, and a button that shows or hides the rest. */
function Keywords({ words, t }: { words: readonly string[]; t: PortalTexts }) {
  const [expanded, setExpanded] = useState(false);
  const rest = words.length - FIRST_KEYWORDS;
  return (
    <ul className={styles.words}>
      {(expanded ? words : words.slice(0, FIRST_KEYWORDS)).map((word) => (
        <li key={word}>{word}</li>
      ))}
      {rest > 0 && (
        <li className={styles.more}>
          <button type="button" aria-expanded={expanded} onClick={() => setExpanded(!expanded)}>
            {expanded ? t('fewer') : t('more', { count: rest })}
          </button>
        </li>
      )}
    </ul>
  );
}
