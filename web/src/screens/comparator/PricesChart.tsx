import { useTranslation } from 'react-i18next';
import { CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { ComparedProduct } from '~/api/queries/comparator';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';
import { LINES, offerKey, type PricesOfDay, pricesByDay } from './prices';
import { useMoney } from './useMoney';

const COLOURS = [
  'var(--chart-shopping)',
  'var(--chart-doubtful)',
  'var(--status-reappearance)',
  'var(--chart-refused)',
  'var(--chart-previous)',
] as const;

/** With fewer days a line is no more than points. */
const FEW_DAYS = 3;

/** The brand's own price as steps, and those of the sellers furthest below it as points on a line, by day. Fills its container. */
export function PricesChart({ product }: { product: ComparedProduct }) {
  const { t } = useTranslation('comparator');
  const fmt = useFormats();
  const money = useMoney(product.currency);
  const days = pricesByDay(product);
  const shared = { connectNulls: true, isAnimationActive: false } as const;
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart data={days} margin={{ top: 8, right: 14, bottom: 0, left: 0 }}>
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
        <YAxis
          tickFormatter={money}
          tick={CHART_TICK}
          tickLine={false}
          axisLine={false}
          width={78}
          domain={[0, 'auto']}
        />
        <Tooltip
          labelFormatter={(date) => fmt.date(String(date))}
          formatter={(value) => money(Number(value))}
          contentStyle={CHART_TOOLTIP}
        />
        <Legend itemSorter={null} iconType="plainline" wrapperStyle={{ fontSize: 13, paddingTop: 10 }} />
        <Line
          {...shared}
          type="stepAfter"
          dataKey="own"
          name={t('own')}
          stroke="var(--chart-text)"
          strokeWidth={2.6}
          dot={days.length <= FEW_DAYS ? { r: 3 } : false}
        />
        {product.offers.slice(0, LINES).map((offer, place) => (
          <Line
            {...shared}
            key={offerKey(offer)}
            type="linear"
            dataKey={(day: PricesOfDay) => day.offers[place]}
            name={offer.merchant}
            stroke={COLOURS[place % COLOURS.length] ?? COLOURS[0]}
            strokeWidth={1.8}
            dot={{ r: 2.5 }}
          />
        ))}
      </LineChart>
    </ResponsiveContainer>
  );
}
