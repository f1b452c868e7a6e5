import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isTooMany } from '~/api/errors';
import { type AdSearch, type Hour, type HourOfWeek, hoursQuery } from '~/api/queries/ads';
import { ErrorPanel, TooManyPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './portal.module.css';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

interface Props {
  search: AdSearch;
  onChoose(hour: HourOfWeek): void;
}

/** Share of an hour's captures that show an ad. */
const share = ({ captures, capturesWith }: Hour): number => (captures > 0 ? capturesWith / captures : 0);

/**
 * Heatmap of the week: each hour has the percentage of its captures that show an ad, and is the darker the more do for sure. Hours with few
 * captures are muted, those without captures blank. A click on an hour with ads calls `onChoose`.
 */
export function Hours({ search, onChoose }: Props) {
  const { t } = useTranslation('portal');
  const fmt = useFormats();
  const hours = useQuery(hoursQuery(search));
  if (hours.isPending) return <Loader size="sm" className={styles.loader} aria-label={t('loading')} />;
  if (hours.isError && isTooMany(hours.error)) return <TooManyPanel />;
  if (hours.isError) return <ErrorPanel onRetry={() => hours.refetch()} />;
  const cells = new Map(hours.data.map((cell) => [`${cell.weekday} ${cell.hour}`, cell]));
  return (
    <div className={styles.scroll}>
      <table className={styles.hoursTable} aria-label={t('hours')}>
        <thead>
          <tr>
            <td />
            {HOURS.map((hour) => (
              <th key={hour} scope="col">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {WEEKDAYS.map((weekday) => (
            <tr key={weekday}>
              <th scope="row">{fmt.weekday(weekday, 'short')}</th>
              {HOURS.map((hour) => {
                const cell = cells.get(`${weekday} ${hour}`);
                const when = t('when', { day: fmt.weekday(weekday, 'long'), hour });
                if (!cell) return <td key={hour} className={styles.unseen} title={t('notLooked', { when })} />;
                const label = t('cell', {
                  when,
                  ads: fmt.count(cell.ads),
                  seen: fmt.count(cell.capturesWith),
                  captures: fmt.count(cell.captures),
                });
                const strength = Math.round(strengthOf(cell.capturesWith, cell.captures) * 100);
                return (
                  <td key={hour}>
                    <button
                      type="button"
                      className={styles.cell}
                      disabled={cell.ads === 0}
                      style={{ background: `color-mix(in srgb, var(--chart-text) ${strength}%, var(--card))` }}
                      data-strong={strength > 75 || undefined}
                      data-uncertain={isUncertain(cell.captures) || undefined}
                      title={label}
                      aria-label={label}
                      onClick={() => onChoose({ weekday, hour })}
                    >
                      <span aria-hidden>{Math.round(share(cell) * 100)}</span>
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.legend}>
        <span>{t('legend')}</span>
        <span className={styles.scale} aria-hidden />
        <span>
          <span className={styles.sample} aria-hidden /> {t('legendUnseen')}
        </span>
        <span>
          <span className={styles.uncertain} aria-hidden>
            %
          </span>{' '}
          {t('legendUncertain')}
        </span>
      </p>
    </div>
  );
}

/** An hour with fewer captures is uncertain. */
const MIN_CAPTURES = 5;
/** The z-score of a 95 % confidence interval. */
const Z_SCORE = 1.96;

/**
 * The colour strength of an hour, from 0 to 1: the lower bound of Wilson's interval for its share of captures with an ad. One of one is
 * weaker evidence than nine of ten.
 */
export function strengthOf(seen: number, captures: number): number {
  if (captures <= 0) return 0;
  const share = Math.min(1, seen / captures);
  const spread = Z_SCORE * Math.sqrt((share * (1 - share)) / captures + Z_SCORE ** 2 / (4 * captures ** 2));
  return Math.max(0, (share + Z_SCORE ** 2 / (2 * captures) - spread) / (1 + Z_SCORE ** 2 / captures));
}

/** Whether an hour has too few captures for its share to mean much. */
export const isUncertain = (captures: number): boolean => captures < MIN_CAPTURES;
