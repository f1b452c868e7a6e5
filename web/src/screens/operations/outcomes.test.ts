import { describe, expect, it } from 'vitest';
import type { Outcome } from '~/api/queries/operations';
import { chartSpans, outcomeOf, totalCounts } from './outcomes';

const NOW = new Date('2026-03-02T10:30:00Z');
const outcome = (start: string, engine: string, state: string, verdict: string, count: number): Outcome => ({
  start,
  engine,
  state,
  verdict,
  count,
});

describe('the outcomes of runs', () => {
  it('distinguish a refusal of the engine from other failures', () => {
    expect(outcomeOf({ state: 'failed', verdict: 'captcha' })).toBe('refused');
    expect(outcomeOf({ state: 'failed', verdict: 'timeout' })).toBe('failed');
    expect(outcomeOf({ state: 'verified', verdict: 'doubtful' })).toBe('doubtful');
    expect(outcomeOf({ state: 'verified', verdict: 'results' })).toBe('results');
    expect(outcomeOf({ state: 'missed', verdict: 'superseded' })).toBe('missed');
  });

  it('have a span for every hour of a day, also an empty one', () => {
    const spans = chartSpans(
      [outcome('2026-03-02T09:00:00Z', 'google', 'verified', 'results', 4)],
      'day',
      undefined,
      NOW,
    );
    expect(spans).toHaveLength(25);
    expect(new Date(spans.at(-1)?.start ?? 0).toISOString()).toBe('2026-03-02T10:00:00.000Z');
    expect(spans.at(-2)?.results).toBe(4);
    expect(totalCounts(spans)).toEqual({ results: 4, doubtful: 0, refused: 0, failed: 0, missed: 0 });
  });

  it('can be limited to one engine', () => {
    const both = [
      outcome('2026-03-02T10:00:00Z', 'google', 'failed', 'blocked', 2),
      outcome('2026-03-02T10:00:00Z', 'bing', 'failed', 'network', 3),
    ];
    expect(totalCounts(chartSpans(both, 'day', 'bing', NOW))).toMatchObject({ refused: 0, failed: 3 });
    expect(totalCounts(chartSpans(both, 'day', undefined, NOW))).toMatchObject({ refused: 2, failed: 3 });
  });
});
