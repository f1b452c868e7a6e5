import { useTranslation } from 'react-i18next';
import {
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import type { Voice } from '~/api/queries/home';
import { CHART_TICK, CHART_TOOLTIP } from '~/monitoring/chartStyle';
import { useFormats } from '~/ui/useFormats';
import { roundTicks, type VoiceDay } from './figures';
import styles from './Voice.module.css';
import { voiceColour } from './voiceColour';

interface Props {
  days: VoiceDay[];
  voices: readonly Voice[];
  /** Opens the list of a day. */
  onDay(day: string): void;
}

const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 };
const AXIS_WIDTH = 46;
/** With fewer days a line is no more than points. */
const FEW_DAYS = 3;

/** The shares of the voices by day as lines, dotted to the day that is not over, over the views per day as bars. Fills its container. */
export function VoiceChart({ days, voices, onDay }: Props) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const shares = days
    .flatMap((day) => [...day.shares, ...day.running, day.previous])
    .filter((one) => one !== undefined);
  const ticks = roundTicks(Math.max(0, ...shares), 4);
  const viewTicks = roundTicks(Math.max(0, ...days.map((day) => day.views)), 2, true);
  const withViews = days.filter((day) => day.views > 0).length;
  const shared = {
    isAnimationActive: false,
    activeDot: { r: 4 },
  } as const;
  const xAxis = {
    dataKey: 'date',
    tickFormatter: fmt.dayAndMonth,
    tick: CHART_TICK,
    tickLine: false,
    minTickGap: 36,
    tickMargin: 8,
  } as const;
  return (
    <>
      <div className={styles.lines}>
        <ResponsiveContainer width="100%" height="100%">
          <ComposedChart data={days} margin={MARGIN} syncId="voice">
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis {...xAxis} hide />
            <YAxis
              ticks={ticks}
              domain={[0, ticks.at(-1) ?? 1]}
              tickFormatter={(value: number) => fmt.share(value / 100)}
              tick={CHART_TICK}
              tickLine={false}
              axisLine={false}
              width={AXIS_WIDTH}
            />
            <Tooltip
              labelFormatter={(date) => fmt.date(String(date))}
              formatter={(value) => fmt.visibility(Number(value))}
              contentStyle={CHART_TOOLTIP}
              cursor={{ stroke: 'var(--line-strong)' }}
            />
            {voices.some((voice) => voice.own) && (
              <Line
                {...shared}
                dataKey="previous"
                name={t('voice.before')}
                stroke="var(--chart-previous)"
                strokeWidth={1.5}
                strokeDasharray="5 4"
                dot={false}
              />
            )}
            {voices.map((voice, place) => (
              <Line
                {...shared}
                key={voice.domains[0]}
                dataKey={(day: VoiceDay) => day.shares[place]}
                name={voice.domains[0] ?? ''}
                stroke={voiceColour(voice, place)}
                strokeWidth={voice.own ? 2.6 : 1.8}
                dot={withViews <= FEW_DAYS ? { r: 3 } : false}
              />
            ))}
            {voices.map((voice, place) => (
              <Line
                {...shared}
                key={`${voice.domains[0]} today`}
                dataKey={(day: VoiceDay) => day.running[place]}
                name={voice.domains[0] ?? ''}
                tooltipType={days.at(-1)?.isRunning ? 'none' : undefined}
                stroke={voiceColour(voice, place)}
                strokeWidth={voice.own ? 2.6 : 1.8}
                strokeDasharray="2 3"
                dot={<RunningDot />}
              />
            ))}
          </ComposedChart>
        </ResponsiveContainer>
      </div>
      <div className={styles.bars}>
        <ResponsiveContainer width="100%" height="100%">
          <BarChart data={days} margin={MARGIN} syncId="voice">
            <defs>
              <pattern id="unfinished" width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width={3} height={6} fill="var(--chart-text)" />
              </pattern>
            </defs>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis {...xAxis} axisLine={{ stroke: 'var(--line)' }} />
            <YAxis
              ticks={viewTicks}
              domain={[0, viewTicks.at(-1) ?? 1]}
              tickFormatter={fmt.compact}
              tick={CHART_TICK}
              tickLine={false}
              axisLine={false}
              width={AXIS_WIDTH}
            />
            <Tooltip
              labelFormatter={(date) => fmt.date(String(date))}
              formatter={(value) => fmt.count(Number(value))}
              contentStyle={CHART_TOOLTIP}
              cursor={{ fill: 'var(--row-hover)' }}
            />
            <Bar
              dataKey="views"
              name={t('voice.views')}
              isAnimationActive={false}
              radius={[2, 2, 0, 0]}
              className={styles.dayBar ?? ''}
              onClick={(bar: { payload?: VoiceDay }) => bar.payload && onDay(bar.payload.date)}
            >
              {days.map((day) => (
                <Cell
                  key={day.date}
                  fill={day.isRunning ? 'url(#unfinished)' : 'var(--chart-text)'}
                  fillOpacity={day.isRunning ? 1 : 0.35}
                  stroke={day.isRunning ? 'var(--chart-text)' : undefined}
                />
              ))}
            </Bar>
          </BarChart>
        </ResponsiveContainer>
      </div>
    </>
  );
}

interface DotProps {
  cx?: number;
  cy?: number;
  stroke?: string;
  payload?: VoiceDay;
}

/** A ring on the day that is not over; nothing on the day before, where the line begins. */
function RunningDot({ cx, cy, stroke, payload }: DotProps) {
  if (!payload?.isRunning || cx === undefined || cy === undefined) return null;
  return <circle cx={cx} cy={cy} r={4} fill="var(--card)" stroke={stroke} strokeWidth={2} />;
}
