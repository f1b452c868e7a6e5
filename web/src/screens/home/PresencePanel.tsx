import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type PresenceHour, presenceQuery } from '~/api/queries/home';
import type { ListSearch } from '~/lib/listSearch';
import { useFormats } from '~/ui/useFormats';
import shared from './Home.module.css';
import styles from './Presence.module.css';
import { Card } from './parts';

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Hours with a label. */
const LABELLED = [0, 6, 12, 18];
/** With fewer captures a share means little. */
const FEW = 5;

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

type At = Pick<PresenceHour, 'weekday' | 'hour'>;

const shareOf = ({ captures, capturesWith }: PresenceHour): number => (captures > 0 ? capturesWith / captures : 0);

/** The hour with the largest share among those with enough captures. */
function busiest(hours: readonly PresenceHour[]): At {
  const sure = hours.filter(({ captures }) => captures >= FEW);
  const [first] = [...(sure.length > 0 ? sure : hours)].sort((one, other) => shareOf(other) - shareOf(one));
  return first ?? { weekday: 1, hour: 0 };
}

/**
 * When in the week others are present, as a table of hours that arrow keys move in: the share of captures that show an ad of somebody else. Below it the
 * captures of one hour, at first of the busiest.
 */
export function PresencePanel({ filters }: { filters: ListSearch['filters'] }) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery({ ...presenceQuery(filters), placeholderData: keepPreviousData });
  const [chosen, setChosen] = useState<At>();
  const grid = useRef<HTMLTableElement>(null);
  const cells = new Map(data?.data.map((cell) => [`${cell.weekday} ${cell.hour}`, cell]));
  const at = chosen ?? busiest(data?.data ?? []);
  const cell = cells.get(`${at.weekday} ${at.hour}`);
  const when = (day: number, hour: number) => t('presence.when', { day: fmt.weekday(day, 'long'), hour });
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const weekday = ((at.weekday - 1 + step[0] + 7) % 7) + 1;
    const hour = (at.hour + step[1] + 24) % 24;
    setChosen({ weekday, hour });
    grid.current?.querySelector<HTMLElement>(`[data-at="${weekday} ${hour}"]`)?.focus();
  };
  return (
    <Card
      id="presence"
      title={t('presence.title')}
      className={styles.presence}
      failed={isError && !data}
      onRetry={() => refetch()}
      more={
        <span className={styles.scale} aria-hidden>
          {fmt.share(0)} <span className={styles.scaleBar} /> {fmt.share(1)}
        </span>
      }
    >
      {data && (
        <>
          <table className={styles.hours} aria-labelledby="presence" ref={grid} onKeyDown={move}>
            <tbody>
              {WEEKDAYS.map((weekday) => (
                <tr key={weekday}>
                  <th scope="row">{fmt.weekday(weekday, 'short')}</th>
                  {HOURS.map((hour) => {
                    const one = cells.get(`${weekday} ${hour}`);
                    const isAt = weekday === at.weekday && hour === at.hour;
                    return (
                      <td key={hour}>
                        <button
                          type="button"
                          className={styles.hour}
                          data-at={`${weekday} ${hour}`}
                          data-few={(one?.captures ?? 0) < FEW || undefined}
                          aria-label={t('presence.cell', {
                            when: when(weekday, hour),
                            seen: fmt.count(one?.capturesWith ?? 0),
                            captures: fmt.count(one?.captures ?? 0),
                          })}
                          aria-pressed={isAt}
                          tabIndex={isAt ? 0 : -1}
                          style={
                            one && {
                              background: `color-mix(in srgb, var(--chart-text) ${Math.round(shareOf(one) * 90) + 6}%, var(--card))`,
                            }
                          }
                          onClick={() => setChosen({ weekday, hour })}
                          onFocus={() => setChosen({ weekday, hour })}
                        />
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
            <tfoot aria-hidden>
              <tr>
                <td />
                {LABELLED.map((hour) => (
                  <td key={hour} colSpan={6}>
                    {t('presence.hour', { hour })}
                  </td>
                ))}
              </tr>
            </tfoot>
          </table>
          <p className={shared.foot} aria-live="polite">
            <span>
              <strong className="sentence">{when(at.weekday, at.hour)}</strong>{' '}
              {cell
                ? t('presence.of', {
                    seen: fmt.count(cell.capturesWith),
                    count: cell.captures,
                    share: fmt.share(shareOf(cell)),
                  })
                : t('presence.none')}
            </span>
            <span className={styles.fewKey}>{t('presence.few', { count: FEW })}</span>
          </p>
        </>
      )}
    </Card>
  );
}
