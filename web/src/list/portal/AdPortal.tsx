import { Button, CloseButton, Loader, SegmentedControl } from '@mantine/core';
import { IconAffiliate, IconSearchOff, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isTooMany } from '~/api/errors';
import { type AdSearch, adCountQuery, adsQuery, type HourOfWeek } from '~/api/queries/ads';
import { EmptyState, ErrorPanel, TooManyPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { ExportLink } from '../ExportLink';
import { AdTable } from './AdTable';
import { OPENS_PORTAL } from './OpenAds';
import styles from './portal.module.css';

const Hours = lazyPart(() => import('./Hours').then((module) => module.Hours));

interface Props {
  /** Name of the row. */
  title: string;
  search: AdSearch;
  onClose(): void;
}

/**
 * The ads of one row, with their counts, an export and a heatmap of the week, whose hours narrow them. Takes the focus; its button, Escape
 * and a click outside call `onClose`.
 */
export function AdPortal({ title, search, onClose }: Props) {
  const returnFocus = useReturnFocus();
  const { t } = useTranslation('portal');
  const fmt = useFormats();
  const panel = useRef<HTMLElement>(null);
  const [tab, setTab] = useState<'ads' | 'hours'>('ads');
  const [hour, setHour] = useState<HourOfWeek>();
  const ads = useQuery(adsQuery(search, hour));
  const count = useQuery(adCountQuery(search, hour));
  const domain = search.find(([name]) => name === 'domain')?.[1];

  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const outside = ({ target }: MouseEvent) => {
      if (!(target instanceof Element) || !target.isConnected) return;
      if (!panel.current?.contains(target) && !target.closest(`[${OPENS_PORTAL}]`)) onClose();
    };
    document.addEventListener('click', outside);
    return () => document.removeEventListener('click', outside);
  }, [onClose]);

  const close = () => {
    onClose();
    returnFocus();
  };

  const body = () => {
    if (ads.isPending) return <Loader size="sm" className={styles.loader} aria-label={t('loading')} />;
    if (ads.isError && isTooMany(ads.error)) return <TooManyPanel />;
    if (ads.isError) return <ErrorPanel onRetry={() => ads.refetch()} />;
    if (ads.data.length === 0) return <EmptyState icon={<IconSearchOff size={26} />} title={t('empty')} />;
    const kinds = (['ads', 'shopping'] as const).map((kind) => ({
      kind,
      ads: ads.data.filter(({ type }) => type === kind),
    }));
    return kinds.map(({ kind, ads }) => ads.length > 0 && <AdTable key={kind} kind={kind} ads={ads} />);
  };

  return (
    <section
      ref={panel}
      className={styles.portal}
      aria-label={t('of', { title })}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        // The grid would move its own focus.
        event.stopPropagation();
      }}
    >
      <header className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        {count.data && (
          <p className={styles.counts}>
            <strong>{fmt.count(count.data.countAdvertisement)}</strong>{' '}
            {t('countAds', { count: count.data.countAdvertisement })}
            {' · '}
            <strong>{fmt.count(count.data.countShopping)}</strong>{' '}
            {t('countShopping', { count: count.data.countShopping })}
            {ads.data && ads.data.length < count.data.countAdvertisement + count.data.countShopping && (
              <span> · {t('shown', { count: ads.data.length })}</span>
            )}
          </p>
        )}
        {hour && (
          <Button
            size="compact-xs"
            variant="light"
            rightSection={<IconX size={12} />}
            aria-label={t('allHours')}
            onClick={() => setHour(undefined)}
          >
            {t('when', { day: fmt.weekday(hour.weekday, 'long'), hour: hour.hour })}
          </Button>
        )}
        <span className={styles.tools}>
          {domain && (
            <a
              href={`/advertisers/group/${encodeURIComponent(domain)}`}
              target="_blank"
              rel="noopener"
              className={styles.behind}
            >
              <IconAffiliate size={15} aria-hidden />
              {t('behind')}
            </a>
          )}
          <SegmentedControl
            size="xs"
            aria-label={t('tabs')}
            value={tab}
            onChange={(chosen) => setTab(chosen === 'hours' ? 'hours' : 'ads')}
            data={[
              { value: 'ads', label: t('tabAds') },
              { value: 'hours', label: t('tabHours') },
            ]}
          />
          {count.data && <ExportLink href={count.data.exportCSV} name="ads" compact />}
          <CloseButton aria-label={t('close')} onClick={close} />
        </span>
      </header>
      <div className={styles.body} aria-busy={ads.isFetching}>
        {tab === 'ads' ? (
          body()
        ) : (
          <Hours
            search={search}
            onChoose={(chosen) => {
              setHour(chosen);
              setTab('ads');
            }}
          />
        )}
      </div>
    </section>
  );
}
