import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type CapacityPlan, capacityQuery, type RouteCapacity } from '~/api/queries/operations';
import { hourStart, hoursOver, limitOf, overInHour, peakOf, sumOf } from '~/lib/capacity';
import { FREQUENCIES } from '~/lib/frequency';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { StatusBadge } from '~/ui/indicators';
import { lazyPart } from '~/ui/lazyPart';
import { EngineIcon, Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './Capacity.module.css';
import shared from './Operations.module.css';

const CapacityChart = lazyPart(() => import('./CapacityChart').then((module) => module.CapacityChart));

/** Captures planned in each of the next 24 hours against what may be asked: all together as tiles and a chart, each engine and proxy in tables. */
export function Capacity() {
  const { t } = useTranslation('capacity');
  const { data: plan, isError, refetch } = useQuery(capacityQuery);
  if (isError && !plan) return <ErrorPanel onRetry={() => refetch()} />;
  if (!plan) return null;
  const planned = sumOf(plan.routes.flatMap((route) => route.planned));
  if (planned === 0) return <EmptyState icon={<IconChartBar size={26} />} title={t('chart.empty')} />;
  const over = sumOf(plan.routes.map((route) => route.over));
  return (
    <div className={shared.tablePanel}>
      <Tiles plan={plan} planned={planned} over={over} />
      <section aria-labelledby="planned-per-hour">
        <h2 id="planned-per-hour" className={shared.cardTitle}>
          {t('chart.title')}
        </h2>
        <figure className={styles.chart} aria-label={t('chart.summary', { planned, over })}>
          <CapacityChart plan={plan} />
        </figure>
      </section>
      {over > 0 && <Remedies plan={plan} />}
      <Routes plan={plan} />
      <details className={styles.details}>
        <summary>{t('byHour')}</summary>
        <Hours plan={plan} />
      </details>
    </div>
  );
}

/** Names an engine, and the proxy that it is searched through. */
function usePlace() {
  const { t } = useTranslation(['capacity', 'market']);
  return ({ engine, proxy }: RouteCapacity) => ({
    engine: t(`market:engine.${engine}`, { defaultValue: engine }),
    way: proxy ? t('through', { proxy }) : t('direct'),
  });
}

interface TilesProps {
  plan: CapacityPlan;
  planned: number;
  over: number;
}

/** What is planned and may be asked on all routes together, how much does not fit, and the fullest route. */
function Tiles({ plan, planned, over }: TilesProps) {
  const { t } = useTranslation('capacity');
  const fmt = useFormats();
  const place = usePlace();
  const may = sumOf(plan.routes.map((route) => limitOf(route) * route.planned.length));
  const [fullest] = plan.routes
    .map((route) => ({ route, ...peakOf(route) }))
    .sort((one, other) => other.share - one.share);
  const tiles = [
    { label: t('tile.planned'), value: fmt.count(planned) },
    { label: t('tile.may'), value: fmt.count(may), note: t('shareOfIt', { share: fmt.share(planned / may) }) },
    {
      label: t('tile.over'),
      value: fmt.count(over),
      note: t('shareOfPlan', { share: fmt.share(over / planned) }),
      isBad: over > 0,
    },
  ];
  if (fullest) {
    const { engine, way } = place(fullest.route);
    tiles.push({
      label: t('tile.peak'),
      value: fmt.share(fullest.share),
      note: t('peakAt', {
        place: `${engine} (${way})`,
        time: fmt.time(hourStart(plan.asOf, fullest.hour).getTime()),
      }),
      isBad: fullest.share > 1,
    });
  }
  return (
    <ul className={styles.tiles}>
      {tiles.map(({ label, value, note, isBad }) => (
        <li key={label} className={shared.tile}>
          <span className={shared.label}>{label}</span>
          <strong className={shared.value} data-bad={isBad || undefined}>
            {value}
          </strong>
          {note && <span className={shared.tileNote}>{note}</span>}
        </li>
      ))}
    </ul>
  );
}

/**
 * For each pair of engine and proxy whose plan does not fit: longer intervals of its terms, or more captures a minute, either of which is enough. For a
 * plan that does not fit.
 */
function Remedies({ plan }: { plan: CapacityPlan }) {
  const { t } = useTranslation(['capacity', 'settingTerms']);
  const place = usePlace();
  const crowded = plan.routes.flatMap((route) => (route.remedy ? [{ route, remedy: route.remedy }] : []));
  return (
    <section aria-labelledby="what-would-fit">
      <h2 id="what-would-fit" className={shared.cardTitle}>
        {t('fit.title')}
      </h2>
      <ul className={styles.remedies}>
        {crowded.map(({ route, remedy: { slower, perMinute } }) => {
          const { engine, way } = place(route);
          const frequency = FREQUENCIES.find(({ every }) => every === slower?.every);
          return (
            <li key={`${route.engine} ${route.proxy}`}>
              <p className={styles.place}>
                <EngineIcon engine={route.engine} />
                {engine} <span className={shared.dim}>{way}</span>
              </p>
              {slower && frequency ? (
                <p>
                  <strong>
                    {t('fit.slower', { count: slower.terms, every: t(`settingTerms:freq.${frequency.key}`) })}
                  </strong>{' '}
                  <Link className={shared.link} to="/terms-management" search={busiest(route.engine)}>
                    {t('fit.terms')}
                  </Link>
                </p>
              ) : (
                <p>{t('fit.noInterval')}</p>
              )}
              <p>
                <strong>{t('fit.pace', { pace: perMinute, now: route.perMinute })}</strong>{' '}
                <span className={shared.dim}>{t('fit.setting', { key: `engines.${route.engine}.per_minute` })}</span>
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The terms of an engine that are captured, the most frequent first. */
const busiest = (engine: string) => ({
  engine: { type: 'inq', value: [engine.toUpperCase()] },
  state: { type: 'inq', value: ['enabled'] },
  order: 'every',
  direction: 'ASC',
});

/** Each engine and proxy in a row: its hours, pace, plan and whether that fits. */
function Routes({ plan }: { plan: CapacityPlan }) {
  const { t } = useTranslation('capacity');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={shared.scroll} aria-label={t('column.place')} tabIndex={0}>
      <table className={shared.table}>
        <thead>
          <tr>
            <th scope="col">{t('column.place')}</th>
            <th scope="col">{t('column.hours')}</th>
            <th scope="col">{t('column.pace')}</th>
            <th scope="col">{t('column.planned')}</th>
            <th scope="col">{t('column.peak')}</th>
            <th scope="col">{t('column.over')}</th>
            <th scope="col">{t('column.state')}</th>
          </tr>
        </thead>
        <tbody>
          {plan.routes.map((route) => (
            <RouteRow key={`${route.engine} ${route.proxy}`} route={route} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function RouteRow({ route }: { route: RouteCapacity }) {
  const { t } = useTranslation('capacity');
  const fmt = useFormats();
  const { engine, way } = usePlace()(route);
  const hours = hoursOver(route).length;
  const limit = limitOf(route) * route.planned.length;
  return (
    <tr>
      <th scope="row" className={shared.lead}>
        <span className={shared.pair}>
          <EngineIcon engine={route.engine} />
          {engine}
          <span className={shared.dim}>{way}</span>
          {route.countries.map((code) => (
            <Flag key={code} code={code} label={fmt.country(code)} />
          ))}
        </span>
      </th>
      <td>
        <HourBars route={route} />
      </td>
      <td data-label={t('column.pace')}>{t('perMinute', { count: route.perMinute })}</td>
      <td data-label={t('column.planned')}>{t('of', { planned: sumOf(route.planned), limit })}</td>
      <td data-label={t('column.peak')} className={hours > 0 ? shared.bad : undefined}>
        {fmt.share(peakOf(route).share)}
      </td>
      <td data-label={t('column.over')} className={hours > 0 ? shared.bad : shared.dim}>
        {fmt.count(route.over)}
      </td>
      <td data-label={t('column.state')}>
        <StatusBadge tone={hours > 0 ? 'warn' : 'good'}>
          {hours > 0 ? t('state.over', { count: hours }) : t('state.fits')}
        </StatusBadge>
      </td>
    </tr>
  );
}

/** The hours of a route as bars under the line of what may be asked; their figures are in the table of hours. */
function HourBars({ route }: { route: RouteCapacity }) {
  const limit = limitOf(route);
  const top = Math.max(limit, ...route.planned);
  return (
    <span className={styles.bars} aria-hidden>
      {route.planned.map((captures, hour) => (
        <span key={hour} data-over={captures > limit || undefined} style={{ height: `${(100 * captures) / top}%` }} />
      ))}
      <i style={{ bottom: `${(100 * limit) / top}%` }} />
    </span>
  );
}

/** The captures of every hour on each engine and proxy, in figures; hours over what may be asked say by how much. */
function Hours({ plan }: { plan: CapacityPlan }) {
  const { t } = useTranslation('capacity');
  const fmt = useFormats();
  const place = usePlace();
  const hours = plan.routes[0]?.planned.map((_, hour) => hour) ?? [];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={shared.scroll} aria-label={t('byHour')} tabIndex={0}>
      <table className={shared.table}>
        <thead>
          <tr>
            <th scope="col">{t('column.hour')}</th>
            {plan.routes.map((route) => {
              const { engine, way } = place(route);
              return (
                <th key={`${route.engine} ${route.proxy}`} scope="col">
                  {engine} <span className={shared.dim}>{way}</span>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour}>
              <th scope="row" className={shared.lead}>
                {fmt.dateTime(hourStart(plan.asOf, hour))}
              </th>
              {plan.routes.map((route) => {
                const { engine, way } = place(route);
                const over = overInHour(route, hour);
                const planned = route.planned[hour] ?? 0;
                return (
                  <td
                    key={`${route.engine} ${route.proxy}`}
                    data-label={`${engine} (${way})`}
                    className={over > 0 ? shared.bad : undefined}
                  >
                    {over > 0 ? t('overInHour', { planned, over }) : fmt.count(planned)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
