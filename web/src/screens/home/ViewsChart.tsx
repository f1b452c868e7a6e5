import { useReducedMotion } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { Area, CartesianGrid, ComposedChart, Legend, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';
import type { ChartDay } from './figures';

/** The chart of views per day: text and shopping as stacked areas, all views of the previous period as a dashed line. Fills its container. */
export function ViewsChart({ days }: { days: ChartDay[] }) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const reducedMotion = useReducedMotion();
  const shared = {
    type: 'monotone',
    strokeWidth: 2,
    isAnimationActive: !reducedMotion,
    animationDuration: 400,
  } as const;
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={days} margin={{ top: 8, right: 12, bottom: 0, left: 0 }} accessibilityLayer>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="date"
          tickFormatter={fmt.dayAndMonth}
          tick={CHART_TICK}
          tickLine={false}
          axisLine={{ stroke: 'var(--line)' }}
          minTickGap={36}
          tickMargin={8}
        />
        <YAxis tickFormatter={fmt.compact} tick={CHART_TICK} tickLine={false} axisLine={false} width={48} />
        <Tooltip
          labelFormatter={(date) => fmt.date(String(date))}
          formatter={(value) => fmt.count(Number(value))}
          contentStyle={CHART_TOOLTIP}
          cursor={{ stroke: 'var(--line-strong)' }}
        />
        <Legend itemSorter={null} iconType="plainline" wrapperStyle={{ fontSize: 13, paddingTop: 10 }} />
        <Area
          {...shared}
          dataKey="text"
          name={t('chart.text')}
          stackId="views"
          stroke="var(--chart-text)"
          fill="var(--chart-text)"
          fillOpacity={0.2}
        />
        <Area
          {...shared}
          dataKey="shopping"
          name={t('chart.shopping')}
          stackId="views"
          stroke="var(--chart-shopping)"
          fill="var(--chart-shopping)"
          fillOpacity={0.2}
        />
        <Line
          {...shared}
          dataKey="previous"
          name={t('chart.previous')}
          stroke="var(--chart-previous)"
          strokeWidth={1.5}
          strokeDasharray="4 4"
          dot={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}
