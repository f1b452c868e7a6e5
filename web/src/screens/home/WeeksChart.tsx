import { useTranslation } from 'react-i18next';
import { Bar, BarChart, CartesianGrid, Cell, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Newcomers } from '~/api/queries/home';
import { dayjs } from '~/lib/dates';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';
import { roundTicks } from './figures';

const WAYS = [
  { way: 'new', colour: 'var(--chart-text)' },
  { way: 'returning', colour: 'var(--status-reappearance)' },
] as const;

/** The Mondays of a period, `YYYY-MM-DD`. */
function mondays({ start, end }: Newcomers['meta']['compared']): string[] {
  const found = [];
  for (let day = dayjs(start).startOf('isoWeek'); !day.isAfter(end); day = day.add(1, 'week')) {
    found.push(day.format('YYYY-MM-DD'));
  }
  return found;
}

/** New and returning advertisers by week, stacked; a week that is not over is hatched. Fills its container. */
export function WeeksChart({ meta }: { meta: Newcomers['meta'] }) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const counted = new Map(meta.weeks.map((week) => [week.monday, week]));
  const current =
    meta.compared.unfinishedDay && dayjs(meta.compared.unfinishedDay).startOf('isoWeek').format('YYYY-MM-DD');
  const weeks = mondays(meta.compared).map((monday) => ({ new: 0, returning: 0, ...counted.get(monday), monday }));
  const ticks = roundTicks(Math.max(0, ...weeks.map((week) => week.new + week.returning)), 2, true);
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart data={weeks} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} barCategoryGap="24%">
        <defs>
          {WAYS.map(({ way, colour }) => (
            <pattern
              key={way}
              id={`week-${way}`}
              width={6}
              height={6}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width={3} height={6} fill={colour} />
            </pattern>
          ))}
        </defs>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="monday"
          tickFormatter={fmt.dayAndMonth}
          tick={CHART_TICK}
          tickLine={false}
          axisLine={{ stroke: 'var(--line)' }}
          minTickGap={12}
          tickMargin={6}
        />
        <YAxis
          ticks={ticks}
          domain={[0, ticks.at(-1) ?? 1]}
          tickFormatter={fmt.compact}
          tick={CHART_TICK}
          tickLine={false}
          axisLine={false}
          width={34}
        />
        <Tooltip
          labelFormatter={(monday) => t('newcomers.week', { day: fmt.date(String(monday)) })}
          formatter={(value) => fmt.count(Number(value))}
          contentStyle={CHART_TOOLTIP}
          cursor={{ fill: 'var(--row-hover)' }}
        />
        {WAYS.map(({ way, colour }) => (
          <Bar key={way} dataKey={way} name={t(`newcomers.${way}`)} stackId="ways" isAnimationActive={false}>
            {weeks.map(({ monday }) => (
              <Cell key={monday} fill={monday === current ? `url(#week-${way})` : colour} />
            ))}
          </Bar>
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}
