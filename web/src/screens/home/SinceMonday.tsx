import { IconBolt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { changesQuery, paceQuery } from '~/api/queries/home';
import { dayjs } from '~/lib/dates';
import { sinceMonday, within } from '~/lib/homePeriod';
import { caseFilters, type HomeSearch, homeFilters, only } from '~/lib/homeSearch';
import { useFormats } from '~/ui/useFormats';
import { shareOf } from './figures';
import { FigureLink } from './parts';
import styles from './SinceMonday.module.css';

/**
 * What changed since last Monday, in one line: whose share grew most and where, who appeared on most terms, and how many cases have an answer that
 * nobody has read. Each leads to the list behind it. Nothing until it is known.
 */
export function SinceMonday({ search }: { search: HomeSearch }) {
  const { t } = useTranslation(['home', 'market']);
  const fmt = useFormats();
  const today = dayjs().format('YYYY-MM-DD');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new day may be in a new week
  const week = useMemo(() => within(sinceMonday(dayjs()).span), [today]);
  const filters = { ...week, ...homeFilters(search) };
  const changes = useQuery(changesQuery(filters)).data?.data;
  const unread = useQuery(paceQuery(filters)).data?.meta.unread;
  if (!changes || unread === undefined) return null;
  const { gained, appeared } = changes;
  const link = (domain: string) => (
    <FigureLink to="/domains" filters={{ ...filters, domain: only(domain) }} className={styles.sinceLink} />
  );
  const points =
    gained &&
    (shareOf(gained.views, gained.totalViews) ?? 0) - (shareOf(gained.previousViews, gained.previousTotalViews) ?? 0);
  const device = gained?.device && t(`market:device.${gained.device}`, { defaultValue: gained.device });
  const gainedKey = gained?.country ? (device ? 'gained' : 'gainedIn') : device ? 'gainedOn' : 'gainedAll';
  const isQuiet = !gained && !appeared && unread === 0;
  return (
    <section className={styles.since} aria-labelledby="since-monday">
      <h2 id="since-monday" className={styles.sinceTitle}>
        <IconBolt size={17} aria-hidden />
        {t('since.title')}
      </h2>
      <ul className={styles.sinceList}>
        {isQuiet && <li>{t('since.quiet')}</li>}
        {gained && (
          <li>
            <Trans
              t={t}
              i18nKey={`home:since.${gainedKey}`}
              values={{
                domain: gained.domain,
                points: fmt.points(points ?? 0),
                device,
                country: fmt.country(gained.country ?? ''),
              }}
              components={{ domain: link(gained.domain), strong: <strong /> }}
            />
          </li>
        )}
        {appeared && (
          <li>
            <Trans
              t={t}
              i18nKey="home:since.appeared"
              count={appeared.terms}
              values={{ domain: appeared.domain }}
              components={{
                domain: link(appeared.domain),
                terms: (
                  <FigureLink
                    to="/terms"
                    filters={{ ...filters, domain: only(appeared.domain) }}
                    className={styles.sinceFigure}
                  />
                ),
              }}
            />
          </li>
        )}
        {unread > 0 && (
          <li>
            <Trans
              t={t}
              i18nKey="home:since.unread"
              count={unread}
              components={{
                cases: (
                  <FigureLink
                    to="/actions"
                    filters={{ ...caseFilters(search), unread: only('only') }}
                    className={styles.sinceLink}
                  />
                ),
              }}
            />
          </li>
        )}
      </ul>
    </section>
  );
}
