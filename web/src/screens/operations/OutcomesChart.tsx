import { useTranslation } from 'react-i18next';
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Window } from '~/api/queries/operations';
import { dayjs } from '~/lib/dates';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';
import { type ChartSpan, RUN_OUTCOMES, type RunOutcome } from './outcomes';

const COLOURS: Record<RunOutcome, string> = {
  results: 'var(--chart-text)',
  doubtful: 'var(--chart-doubtful)',
  refused: 'var(--chart-refused)',
  failed: 'var(--chart-failed)',
  missed: 'var(--chart-previous)',
};

/** The number of runs per span as bars of stacked outcomes. `window` only sets the labels of the time axis: hours for `day`, else dates. */
export function OutcomesChart({ spans, window }: { spans: ChartSpan[]; window: Window }) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const tick = (start: number) => (window === 'day' ? dayjs(start).format('HH:mm') : fmt.dayAndMonth(new Date(start)));
  return (
    <ResponsiveContainer width="100%" height="100%" minHeight={280}>
      <BarChart data={spans} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} barCategoryGap="22%">
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="start"
          tickFormatter={tick}
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
        {RUN_OUTCOMES.map((outcome) => (
          <Bar
            key={outcome}
            dataKey={outcome}
            name={t(`chart.${outcome}`)}
            stackId="outcomes"
            fill={COLOURS[outcome]}
            animationDuration={400}
            maxBarSize={34}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}
