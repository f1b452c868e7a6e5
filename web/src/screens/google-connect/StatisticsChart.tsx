import { useTranslation } from 'react-i18next';
import {
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { GoogleDay } from '~/api/queries/google';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';

interface Props {
  days: readonly GoogleDay[];
  measure: 'impressions' | 'clicks';
}

/** SEO and SEA by day as two lines; days that Google may still change are shaded. Fills its container. */
export function StatisticsChart({ days, measure }: Props) {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const data = days.map((day) => ({
    date: day.date,
    seo: measure === 'clicks' ? day.seoClicks : day.seoImpressions,
    sea: measure === 'clicks' ? day.seaClicks : day.seaImpressions,
  }));
  const provisional = days.find(({ isFinal }) => !isFinal)?.date;
  const last = days.at(-1)?.date;
  const line = { type: 'monotone', strokeWidth: 2, dot: false } as const;
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={data} margin={{ top: 8, right: 12, bottom: 0, left: 0 }}>
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
        {provisional && last && (
          <ReferenceArea
            x1={provisional}
            x2={last}
            fill="var(--line)"
            fillOpacity={0.4}
            label={t('statistics.provisional')}
          />
        )}
        <Tooltip
          labelFormatter={(date) => fmt.date(String(date))}
          formatter={(value) => fmt.count(Number(value))}
          contentStyle={CHART_TOOLTIP}
        />
        <Legend itemSorter={null} iconType="plainline" wrapperStyle={{ fontSize: 13, paddingTop: 10 }} />
        <Line {...line} dataKey="seo" name="SEO" stroke="var(--chart-shopping)" />
        <Line {...line} dataKey="sea" name="SEA" stroke="var(--chart-text)" />
      </LineChart>
    </ResponsiveContainer>
  );
}
