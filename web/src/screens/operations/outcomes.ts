import type { Outcome } from '~/api/queries/operations';

/** How a run can end, from good to bad, as the chart stacks them. */
export const ENDS = ['results', 'doubtful', 'refused', 'failed', 'missed'] as const;
export type End = (typeof ENDS)[number];

/** Reasons that are the engine's own: it saw a machine and refused. */
const REFUSALS: readonly string[] = ['captcha', 'blocked', 'consent'];

export type Counts = Record<End, number>;

export interface ChartSpan extends Counts {
  /** The beginning of the span, in milliseconds since 1970. */
  start: number;
}

const HOUR = 3_600_000;
/** The spans the server adds up in, and how many of them make the period. */
const SPANS = {
  day: { length: HOUR, count: 24 },
  week: { length: 6 * HOUR, count: 28 },
  month: { length: 24 * HOUR, count: 30 },
} as const;

const none = (): Counts => ({ results: 0, doubtful: 0, refused: 0, failed: 0, missed: 0 });

export function endOf({ state, verdict }: Pick<Outcome, 'state' | 'verdict'>): End {
  if (state === 'missed') return 'missed';
  if (state === 'failed') return REFUSALS.includes(verdict) ? 'refused' : 'failed';
  return verdict === 'doubtful' ? 'doubtful' : 'results';
}

/** Every span of the period up to now, those without runs too; of one engine or of all. */
export function chartSpans(
  outcomes: readonly Outcome[],
  window: keyof typeof SPANS,
  engine: string | undefined,
  now: Date,
): ChartSpan[] {
  const { length, count } = SPANS[window];
  const last = Math.floor(now.getTime() / length) * length;
  const spans = Array.from({ length: count + 1 }, (_, at) => ({ start: last - (count - at) * length, ...none() }));
  const byStart = new Map(spans.map((span) => [span.start, span]));
  for (const outcome of outcomes) {
    const span = byStart.get(new Date(outcome.start).getTime());
    if (span && (!engine || outcome.engine === engine)) span[endOf(outcome)] += outcome.count;
  }
  return spans;
}

export const totalOf = (spans: readonly ChartSpan[]): Counts => {
  const total = none();
  for (const span of spans) for (const end of ENDS) total[end] += span[end];
  return total;
};
