import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AdvertiserGroup } from '~/api/queries/advertiserGroups';
import { dayjs } from '~/lib/dates';
import { within } from '~/lib/homePeriod';
import type { Where } from '~/lib/listSearch';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';

/** The views of a domain by day, as bars; a day without any has none. */
function Bars({ days, dates }: { days: readonly { date: string; views: number }[]; dates: readonly string[] }) {
  const views = new Map(days.map((day) => [day.date, day.views]));
  const most = Math.max(1, ...views.values());
  return (
    <span className={styles.bars} aria-hidden>
      {dates.map((date) => (
        <span key={date} style={{ height: `${((views.get(date) ?? 0) / most) * 100}%` }} />
      ))}
    </span>
  );
}

/** The domains of a group and those suggested, with their ads of 30 days, and the lists of ads and cases behind them. */
export function GroupDomains({ group }: { group: AdvertiserGroup }) {
  const { t } = useTranslation('advertiserGroup');
  const fmt = useFormats();
  const first = dayjs(group.meta.figuresSince);
  const today = dayjs();
  const dates = Array.from({ length: Math.max(1, today.diff(first, 'day') + 1) }, (_, at) =>
    first.add(at, 'day').format('YYYY-MM-DD'),
  );
  const period = within({ start: first.startOf('day').toISOString(), end: today.endOf('day').toISOString() });
  const hostsOf = (hosts: readonly string[]): Where => ({ type: 'inq', value: [...hosts] });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={`${styles.card} ${styles.scroll}`} aria-label={t('domains')} tabIndex={0}>
      <h2>{t('domains')}</h2>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('domain')}</th>
            <th scope="col">{t('byDay')}</th>
            <th scope="col" className={styles.number}>
              {t('views')}
            </th>
            <th scope="col" className={styles.number}>
              {t('ads')}
            </th>
            <th scope="col">{t('cases')}</th>
          </tr>
        </thead>
        <tbody>
          {group.data.domains.map(({ domain, member, hosts, views, ads, days }) => (
            <tr key={domain}>
              <td>
                <Link to="/advertisers/group/$domain" params={{ domain }} className={styles.link}>
                  {domain}
                </Link>
                {!member && <span className={styles.badge}>{t('suggested')}</span>}
              </td>
              <td>
                <Bars days={days} dates={dates} />
              </td>
              <td className={styles.number}>{fmt.count(views)}</td>
              <td className={styles.number}>
                {hosts.length > 0 ? (
                  <Link to="/domains" search={{ ...period, domain: hostsOf(hosts) }} className={styles.link}>
                    {fmt.count(ads)}
                  </Link>
                ) : (
                  fmt.count(ads)
                )}
              </td>
              <td>
                <Link
                  to="/actions"
                  search={{ domain: hostsOf(hosts.length > 0 ? hosts : [domain]) }}
                  className={styles.link}
                >
                  {t('openCases')}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
