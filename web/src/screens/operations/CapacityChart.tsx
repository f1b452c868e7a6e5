import { useTranslation } from 'react-i18next';
import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { CapacityPlan } from '~/api/queries/operations';
import { hourStart, limitOf, overInHour, sumOf } from '~/lib/capacity';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';

const PARTS = ['google', 'bing', 'over'] as const;
type Part = (typeof PARTS)[number];

const COLOURS: Record<Part, string> = {
  google: 'var(--chart-text)',
  bing: 'var(--chart-shopping)',
  over: 'var(--chart-refused)',
};

/** An hour of the plan: by engine what fits, and what fits on no route. */
const hourOf = ({ asOf, routes }: CapacityPlan, hour: number) => {
  const fitting = (engine: string) =>
    sumOf(
      routes
        .filter((route) => route.engine === engine)
        .map((route) => (route.planned[hour] ?? 0) - overInHour(route, hour)),
    );
  return {
    start: hourStart(asOf, hour).getTime(),
    google: fitting('google'),
    bing: fitting('bing'),
    over: sumOf(routes.map((route) => overInHour(route, hour))),
  };
};

/** The captures planned per hour, stacked by engine with those that do not fit on top, under a line of what may be asked of all together. */
export function CapacityChart({ plan }: { plan: CapacityPlan }) {
  const { t } = useTranslation(['capacity', 'market']);
  const fmt = useFormats();
  const hours = plan.routes[0]?.planned.map((_, hour) => hourOf(plan, hour)) ?? [];
  const limit = sumOf(plan.routes.map(limitOf));
  const names = { google: t('market:engine.google'), bing: t('market:engine.bing'), over: t('chart.over') };
  return (
    <ResponsiveContainer width="100%" height="100%" minHeight={260}>
      <BarChart data={hours} margin={{ top: 18, right: 4, bottom: 0, left: 0 }} barCategoryGap="14%">
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="start"
          tickFormatter={fmt.time}
          tick={CHART_TICK}
          tickLine={false}
          axisLine={{ stroke: 'var(--line)' }}
          minTickGap={30}
          tickMargin={8}
        />
        <YAxis
          tickFormatter={fmt.compact}
          tick={CHART_TICK}
          tickLine={false}
          axisLine={false}
          width={44}
          allowDecimals={false}
          domain={[0, (most: number) => Math.max(most, limit)]}
        />
        <Tooltip
          itemSorter={() => 0}
          labelFormatter={(start) => fmt.dateTime(new Date(Number(start)))}
          formatter={(value) => fmt.count(Number(value))}
          contentStyle={CHART_TOOLTIP}
          cursor={{ fill: 'var(--row-hover)' }}
        />
        <Legend
          itemSorter={null}
          iconType="circle"
          iconSize={9}
          formatter={(name) => <span style={{ color: 'var(--ink)' }}>{name}</span>}
          wrapperStyle={{ fontSize: 13, paddingTop: 10 }}
        />
        <ReferenceLine
          y={limit}
          stroke="var(--ink)"
          strokeDasharray="5 4"
          label={{
            value: t('chart.limit', { limit }),
            position: 'insideBottomRight',
            fill: 'var(--ink)',
            fontSize: 12,
          }}
        />
        {PARTS.map((part) => (
          <Bar
            key={part}
            dataKey={part}
            name={names[part]}
            stackId="planned"
            fill={COLOURS[part]}
            animationDuration={400}
            maxBarSize={34}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}
