import type { ShareOfVoice, Voice } from '~/api/queries/home';
import { dayjs } from '~/lib/dates';

/** The relative change of a figure (0.5 is 50 % more); undefined without an earlier value or from zero. */
export const changeOf = (current: number | undefined, previous: number | undefined): number | undefined =>
  current === undefined || !previous ? undefined : (current - previous) / previous;

/** A share in percent; undefined of nothing. */
export const shareOf = (views: number, total: number): number | undefined =>
  total > 0 ? (views / total) * 100 : undefined;

/** How many points a voice gained since the time before; undefined where that has no views. */
export function pointsOf(voice: Voice, { total, previous }: ShareOfVoice['meta']): number | undefined {
  const [now, before] = [shareOf(voice.views, total.views), shareOf(voice.previousViews, previous.views)];
  return now === undefined || before === undefined ? undefined : now - before;
}

/** One day of the chart. */
export interface VoiceDay {
  date: string;
  /** Views of everybody. */
  views: number;
  /** Share of each voice in percent, by its place; undefined on a day without views and on one that is not over. */
  shares: (number | undefined)[];
  /** The same up to the last day that is over, and of the one that is not. */
  running: (number | undefined)[];
  /** Share of the brands' own on the day at the same place of the time before. */
  previous: number | undefined;
  isRunning: boolean;
}

/** The days of a period with the share of every voice. A day that is not over is apart, joined to the one before it. */
export function voiceDays(days: readonly string[], { data, meta }: ShareOfVoice): VoiceDay[] {
  const total = new Map(meta.days.map((day) => [day.date, day.views]));
  const before = new Map(meta.previousDays.map((day) => [day.date, day.views]));
  const ofVoices = data.map((voice) => new Map(voice.days.map((day) => [day.date, day.views])));
  const own = data.find((voice) => voice.own);
  const ownBefore = new Map(own?.previousDays.map((day) => [day.date, day.views]));
  const start = dayjs(meta.compared.previousStart);
  const unfinished = meta.compared.unfinishedDay ?? undefined;
  const joint = unfinished === undefined ? -1 : days.indexOf(unfinished) - 1;
  return days.map((date, index) => {
    const isRunning = date === unfinished;
    const isAhead = unfinished !== undefined && date > unfinished;
    const views = total.get(date) ?? 0;
    const shares = ofVoices.map((voice) => (isAhead ? undefined : shareOf(voice.get(date) ?? 0, views)));
    const earlier = start.add(index, 'day').format('YYYY-MM-DD');
    return {
      date,
      views,
      shares: isRunning ? shares.map(() => undefined) : shares,
      running: isRunning || index === joint ? shares : shares.map(() => undefined),
      previous: own && shareOf(ownBefore.get(earlier) ?? 0, before.get(earlier) ?? 0),
      isRunning,
    };
  });
}

/** Steps of axes: these, times a power of ten. */
const STEPS = [1, 2, 2.5, 5, 10];

/** Round values of an axis from 0 to at least `most`, in at most `parts` equal steps; whole numbers if `most` is counted. */
export function roundTicks(most: number, parts: number, counted = false): number[] {
  const least = Math.max(most, counted ? 1 : 0.1) / parts;
  const power = 10 ** Math.floor(Math.log10(least));
  const fits = (step: number) => step * power >= least * (1 - 1e-9) && (!counted || Number.isInteger(step * power));
  const step = (STEPS.find(fits) ?? 10) * power;
  const rounded = counted ? Math.max(1, Math.ceil(step)) : step;
  const count = Math.max(1, Math.ceil(most / rounded - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * rounded).toPrecision(12)));
}
