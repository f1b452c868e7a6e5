import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCasesOpen } from '~/api/flags';
import { type PaceOfCases, paceQuery } from '~/api/queries/home';
import { caseFilters, type HomeSearch, only } from '~/lib/homeSearch';
import type { ListSearch } from '~/lib/listSearch';
import { useFormats } from '~/ui/useFormats';
import styles from './Cases.module.css';
import shared from './Home.module.css';
import { Card, Change, FigureLink } from './parts';

interface Props {
  search: HomeSearch;
  /** The filters with the period. */
  filters: ListSearch['filters'];
}

/** Open cases by status with half of their ages, and how many have gone in the period, and how fast. */
export function CasesPanel({ search, filters }: Props) {
  const { t } = useTranslation(['home', 'advertisers']);
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery({ ...paceQuery(filters), placeholderData: keepPreviousData });
  const most = Math.max(1, ...(data?.data.map(({ cases }) => cases) ?? []));
  const ofCases = caseFilters(search);
  const areOpen = useCasesOpen();
  return (
    <Card
      id="cases"
      title={t('cases.title')}
      className={styles.cases}
      failed={isError && !data}
      onRetry={() => refetch()}
      more={
        areOpen && (
          <Link to="/actions" search={{ ...ofCases }} className={shared.more}>
            {t('cases.all')}
          </Link>
        )
      }
    >
      {data && (
        <>
          <ul className={styles.statuses}>
            {data.data.map(({ status, cases, medianDays }) => (
              <li key={status} className={styles.statusRow} data-status={status}>
                <FigureLink to="/actions" filters={{ ...ofCases, status: only(status) }} className={styles.statusName}>
                  <span className="sentence">{t(`advertisers:status.${status}`, { defaultValue: status })}</span>
                  <span className={styles.statusCount}>{fmt.count(cases)}</span>
                </FigureLink>
                <span className={styles.track} aria-hidden>
                  <span className={styles.bar} style={{ width: `${(cases / most) * 100}%` }} />
                </span>
                <span className={styles.median}>
                  {medianDays != null && t('cases.median', { count: Math.round(medianDays) })}
                </span>
              </li>
            ))}
          </ul>
          <Gone meta={data.meta} filters={{ ...ofCases, status: only('disappeared'), ...goneWithin(filters) }} />
        </>
      )}
    </Card>
  );
}

/** The period of the filters as the one in which cases have gone. */
const goneWithin = ({ date }: ListSearch['filters']): ListSearch['filters'] => (date ? { disappearedDate: date } : {});

/** How many cases have gone, and in how many days from the request; faster or slower than before where both are known. */
function Gone({ meta, filters }: { meta: PaceOfCases['meta']; filters: ListSearch['filters'] }) {
  const { t } = useTranslation('home');
  const { gone, goneInDays, previousGoneInDays } = meta;
  const faster =
    goneInDays == null || previousGoneInDays == null ? 0 : Math.round(previousGoneInDays) - Math.round(goneInDays);
  return (
    <p className={shared.foot}>
      <span>
        <FigureLink to="/actions" filters={filters}>
          {t('cases.gone', { count: gone })}
        </FigureLink>
        {goneInDays != null && `, ${t('cases.goneIn', { count: Math.round(goneInDays) })}`}
      </span>
      {faster !== 0 && (
        <Change good={faster > 0}>
          {faster > 0 ? t('cases.faster', { count: faster }) : t('cases.slower', { count: -faster })}
        </Change>
      )}
    </p>
  );
}
