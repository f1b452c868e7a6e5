import { SegmentedControl } from '@mantine/core';
import { IconChartAreaLine } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type ShareOfVoice, type Voice, voiceQuery } from '~/api/queries/home';
import type { Period } from '~/lib/dates';
import { onDay } from '~/lib/homePeriod';
import { type HomeSearch, only } from '~/lib/homeSearch';
import type { ListSearch } from '~/lib/listSearch';
import { EmptyState } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import { pointsOf, shareOf, voiceDays } from './figures';
import shared from './Home.module.css';
import { Card, FigureLink } from './parts';
import styles from './Voice.module.css';
import { voiceColour } from './voiceColour';

const VoiceChart = lazyPart(() => import('./VoiceChart').then((module) => module.VoiceChart));

interface Props {
  search: HomeSearch;
  period: Period;
  /** The filters with the period. */
  filters: ListSearch['filters'];
  /** Shows all ads, without a choice of their kind. */
  whole?: boolean;
}

/**
 * The share of voice of the brands' own and of the most viewed advertisers by day, over the views per day; of all ads, or of text or shopping ads
 * alone. The day that is not over is drawn as such. The same figures are in a table, each a link to its day.
 */
export function VoicePanel({ search, period, filters: all, whole = false }: Props) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const navigate = useNavigate();
  const filters = search.kind ? { ...all, type: only(search.kind) } : all;
  const { data, isError, refetch } = useQuery({ ...voiceQuery(filters), placeholderData: keepPreviousData });
  const isEmpty = data && data.meta.total.views === 0 && data.meta.previous.views === 0;
  const unfinished = data?.meta.compared.unfinishedDay;
  const openDay = (day: string) => navigate({ to: '/domains', search: { ...filters, ...onDay(day) } });
  return (
    <Card
      id="share-of-voice"
      title={t('voice.title')}
      className={styles.voice}
      failed={isError && !data}
      onRetry={() => refetch()}
      more={
        <span className={styles.cardTools}>
          {!whole && (
            <SegmentedControl
              size="xs"
              aria-label={t('voice.kind')}
              value={search.kind ?? 'all'}
              data={(['all', 'ads', 'shopping'] as const).map((kind) => ({ value: kind, label: t(`voice.${kind}`) }))}
              onChange={(kind) =>
                navigate({
                  to: '/',
                  search: ({ kind: _, ...others }: HomeSearch) =>
                    kind === 'ads' || kind === 'shopping' ? { ...others, kind } : others,
                  resetScroll: false,
                })
              }
            />
          )}
          <Link to="/domains" search={{ ...filters }} className={shared.more}>
            {t('top.all')}
          </Link>
        </span>
      }
    >
      {isEmpty && <EmptyState icon={<IconChartAreaLine size={26} />} title={t('chart.empty')} />}
      {data && !isEmpty && (
        <>
          <div className={styles.voiceSplit}>
            <figure
              className={styles.voiceFigure}
              aria-label={t('voice.summary', {
                count: data.meta.total.views,
                domains: fmt.count(data.meta.total.domains),
              })}
            >
              <VoiceChart days={voiceDays(period.days, data)} voices={data.data} onDay={openDay} />
            </figure>
            <ol className={styles.voices} aria-label={t('voice.legend')}>
              {data.data.map((voice, index) => (
                <VoiceRow key={voice.domains[0]} voice={voice} place={index} found={data} filters={filters} />
              ))}
            </ol>
          </div>
          <p className={shared.note}>
            {data.data[0]?.own && <span className={styles.keyBefore}>{t('voice.before')}</span>}
            {unfinished && (
              <span className={styles.keyRunning}>{t('voice.running', { day: fmt.date(unfinished) })}</span>
            )}
          </p>
          <details className={styles.details}>
            <summary>{t('voice.table')}</summary>
            <VoiceTable data={data} period={period} filters={filters} />
          </details>
        </>
      )}
    </Card>
  );
}

interface RowProps {
  voice: Voice;
  place: number;
  found: ShareOfVoice;
  filters: ListSearch['filters'];
}

/** One advertiser of the chart, or the brands' own together, with its share and its change. */
function VoiceRow({ voice, place, found: { meta }, filters }: RowProps) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const points = pointsOf(voice, meta);
  const isNew = !voice.own && voice.previousViews === 0 && meta.previous.views > 0;
  const others = voice.domains.length - 1;
  return (
    <li className={styles.voiceRow}>
      <span className={shared.swatch} style={{ background: voiceColour(voice, place) }} aria-hidden />
      <span className={styles.voiceName} data-own={voice.own || undefined} title={voice.domains.join(', ')}>
        {voice.domains[0]}
        {others > 0 && ` ${t('voice.others', { count: others })}`}
        {voice.own && <span className={styles.you}> {t('voice.you')}</span>}
      </span>
      <FigureLink
        to="/domains"
        filters={{ ...filters, domain: { type: 'inq', value: voice.domains } }}
        label={t('voice.shareOf', {
          domain: voice.domains[0],
          share: fmt.visibility(shareOf(voice.views, meta.total.views) ?? 0),
        })}
      >
        {fmt.visibility(shareOf(voice.views, meta.total.views) ?? 0)}
      </FigureLink>
      <span className={styles.voicePoints}>
        {isNew ? t('voice.new') : points === undefined ? '' : t('points', { points: fmt.points(points) })}
      </span>
    </li>
  );
}

interface TableProps {
  data: ShareOfVoice;
  period: Period;
  filters: ListSearch['filters'];
}

/** The days of the chart as a table, the newest first. */
function VoiceTable({ data, period, filters }: TableProps) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const views = new Map(data.meta.days.map((day) => [day.date, day.views]));
  const ofVoices = data.data.map((voice) => new Map(voice.days.map((day) => [day.date, day.views])));
  const days = period.days.filter((day) => views.has(day)).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={shared.scroll} aria-label={t('voice.table')} tabIndex={0}>
      <table className={shared.table}>
        <thead>
          <tr>
            <th scope="col">{t('voice.day')}</th>
            <th scope="col" className={shared.number}>
              {t('voice.views')}
            </th>
            {data.data.map((voice) => (
              <th key={voice.domains[0]} scope="col" className={shared.number}>
                {voice.domains[0]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day}>
              <td>{fmt.date(day)}</td>
              <td className={shared.number}>
                <FigureLink to="/domains" filters={{ ...filters, ...onDay(day) }}>
                  {fmt.count(views.get(day) ?? 0)}
                </FigureLink>
              </td>
              {ofVoices.map((voice, index) => (
                <td key={data.data[index]?.domains[0]} className={shared.number}>
                  {fmt.visibility(shareOf(voice.get(day) ?? 0, views.get(day) ?? 0) ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
