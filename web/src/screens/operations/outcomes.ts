import type { Outcome } from '~/api/queries/operations';

/** The outcomes of a run in the stacking order of the chart. */
export const RUN_OUTCOMES = ['results', 'doubtful', 'refused', 'failed', 'missed'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** The failures in which the engine detected an automated search and refused it. */
const REFUSALS: readonly string[] = ['captcha', 'blocked', 'consent'];

export type Counts = Record<RunOutcome, number>;

export interface ChartSpan extends Counts {
  /** The start of the span, in milliseconds since 1970. */
  start: number;
}

const HOUR = 3_600_000;
/** The length of the server's spans and their number per window. */
const SPANS = {
  day: { length: HOUR, count: 24 },
  week: { length: 6 * HOUR, count: 28 },
  month: { length: 24 * HOUR, count: 30 },
} as const;

const zeroCounts = (): Counts => ({ results: 0, doubtful: 0, refused: 0, failed: 0, missed: 0 });

/**
 * The outcome of a run for the chart: failures by captcha, block or consent form are `refused`, other failures `failed`. Any state but `missed`
 * and `failed` counts as captured: `doubtful` if that is the verdict, else `results`.
 */
export function outcomeOf({ state, verdict }: Pick<Outcome, 'state' | 'verdict'>): RunOutcome {
  if (state === 'missed') return 'missed';
  if (state === 'failed') return REFUSALS.includes(verdict) ? 'refused' : 'failed';
  return verdict === 'doubtful' ? 'doubtful' : 'results';
}

/**
 * The number of runs per outcome in every span of the window, oldest first, up to the one that holds `now`; spans without runs are included. Of
 * one engine, or of all if undefined. Outcomes outside the window are ignored.
 */
export function chartSpans(
  outcomes: readonly Outcome[],
  window: keyof typeof SPANS,
  engine: string | undefined,
  now: Date,
): ChartSpan[] {
  const { length, count } = SPANS[window];
  const last = Math.floor(now.getTime() / length) * length;
  const spans = Array.from({ length: count + 1 }, (_, at) => ({
    start: last - (count - at) * length,
    ...zeroCounts(),
  }));
  const byStart = new Map(spans.map((span) => [span.start, span]));
  for (const outcome of outcomes) {
    const span = byStart.get(new Date(outcome.start).getTime());
    if (span && (!engine || outcome.engine === engine)) span[outcomeOf(outcome)] += outcome.count;
  }
  return spans;
}

export const totalCounts = (spans: readonly ChartSpan[]): Counts => {
  const total = zeroCounts();
  for (const span of spans) for (const outcome of RUN_OUTCOMES) total[outcome] += span[outcome];
  return total;
};
