import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { coverageQuery } from '~/api/queries/figures';
import { newcomersQuery, paceQuery, voiceQuery } from '~/api/queries/home';
import { dayjs } from '~/lib/dates';
import { caseFilters, type HomeSearch, only } from '~/lib/homeSearch';
import type { ListSearch, Where } from '~/lib/listSearch';
import { Coverage } from '~/list/Coverage';
import { useFormats } from '~/ui/useFormats';
import { changeOf, pointsOf, shareOf } from './figures';
import shared from './Home.module.css';
import { Change, FigureLink } from './parts';
import styles from './Tiles.module.css';

interface Props {
  search: HomeSearch;
  /** The filters with the period. */
  filters: ListSearch['filters'];
}

interface TileProps {
  label: string;
  /** Undefined until it is known. */
  value: ReactNode | undefined;
  /** Whether it could not be loaded. */
  failed: boolean;
  change?: ReactNode;
  note?: ReactNode;
}

/** Statuses in which a case is open. */
export const OPEN = ['new', 'requested', 'inprogress', 'reminded', 'reappearance', 'blocked'] as const;

/** The five figures to see first, each with its change since the time before. */
export function Tiles({ search, filters }: Props) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const voices = useQuery({ ...voiceQuery(filters), placeholderData: keepPreviousData });
  const newcomersFound = useQuery({ ...newcomersQuery(filters), placeholderData: keepPreviousData });
  const pace = useQuery({ ...paceQuery(filters), placeholderData: keepPreviousData });
  const captures = useQuery({ ...coverageQuery(filters), placeholderData: keepPreviousData });
  const voice = voices.data;
  const newcomers = newcomersFound.data?.meta;
  const cases = pace.data;
  const coverage = captures.data?.data;
  const own = voice?.data.find((one) => one.own);
  const total = voice?.meta.total;
  const points = own && voice && pointsOf(own, voice.meta);
  const change = changeOf(total?.domains, voice?.meta.previous.domains);
  const open = cases?.data.reduce((sum, status) => sum + status.cases, 0);
  const waiting = cases?.data.find(({ status }) => status === 'new');
  const more = newcomers && newcomers.total.new - newcomers.previous.new;
  const ofCases = caseFilters(search);
  const isOpen: Where = { type: 'inq', value: OPEN };
  return (
    <ul className={styles.tiles}>
      <Tile
        label={t('tile.own')}
        failed={voices.isError}
        value={
          voice &&
          (own ? (
            <FigureLink to="/domains" filters={{ ...filters, domain: { type: 'inq', value: own.domains } }}>
              {fmt.visibility(shareOf(own.views, voice.meta.total.views) ?? 0)}
            </FigureLink>
          ) : (
            '–'
          ))
        }
        change={
          points !== undefined && <Change good={points >= 0}>{t('points', { points: fmt.points(points) })}</Change>
        }
        note={
          voice &&
          (own
            ? points !== undefined &&
              t('tile.ownBefore', { share: fmt.visibility(shareOf(own.previousViews, voice.meta.previous.views) ?? 0) })
            : t('tile.ownNone'))
        }
      />
      <Tile
        label={t('tile.domains')}
        failed={voices.isError}
        value={
          total && (
            <FigureLink to="/domains" filters={filters}>
              {fmt.count(total.domains)}
            </FigureLink>
          )
        }
        change={change !== undefined && <Change>{fmt.change(change)}</Change>}
        note={total && t('tile.ads', { count: total.ads })}
      />
      <Tile
        label={t('tile.new')}
        failed={newcomersFound.isError}
        value={
          newcomers && (
            <FigureLink to="/domains" filters={{ ...filters, appearance: only('new') }}>
              {fmt.count(newcomers.total.new)}
            </FigureLink>
          )
        }
        change={more !== undefined && <Change good={more <= 0}>{fmt.signed(more)}</Change>}
        note={
          newcomers && (
            <FigureLink
              to="/domains"
              filters={{ ...filters, appearance: only('returning') }}
              className={shared.noteLink}
            >
              {t('tile.returning', { count: newcomers.total.returning })}
            </FigureLink>
          )
        }
      />
      <Tile
        label={t('tile.cases')}
        failed={pace.isError}
        value={
          open !== undefined && (
            <FigureLink to="/actions" filters={{ ...ofCases, status: isOpen }}>
              {fmt.count(open)}
            </FigureLink>
          )
        }
        note={
          waiting &&
          waiting.cases > 0 && (
            <FigureLink to="/actions" filters={{ ...ofCases, status: only('new') }} className={shared.noteLink}>
              {t('tile.newCases', { count: waiting.cases })}
              {waiting.oldest && `, ${t('tile.oldest', { count: dayjs().diff(waiting.oldest, 'day') })}`}
            </FigureLink>
          )
        }
      />
      <Tile
        label={t('tile.captures')}
        failed={captures.isError}
        value={coverage && (coverage.planned > 0 ? fmt.visibility((coverage.valid / coverage.planned) * 100) : '–')}
        note={<Coverage filters={filters} />}
      />
    </ul>
  );
}

/** One figure with its label; a skeleton until it is known, or that it is not. */
function Tile({ label, value, failed, change, note }: TileProps) {
  const { t } = useTranslation('home');
  return (
    <li className={styles.tile}>
      <span className={styles.label}>{label}</span>
      {value === undefined ? (
        failed ? (
          <span role="alert">{t('tile.failed')}</span>
        ) : (
          <span className={styles.skeleton} />
        )
      ) : (
        <span className={shared.valueLine}>
          <strong className={styles.value}>{value}</strong>
          {change}
        </span>
      )}
      <span className={styles.tileNote}>{note}</span>
    </li>
  );
}
