import type { Voice } from '~/api/queries/home';

const OTHERS = [
  'var(--chart-shopping)',
  'var(--chart-doubtful)',
  'var(--status-reappearance)',
  'var(--chart-refused)',
] as const;

/** The colour of a voice at its place in the order of the answer. */
export const voiceColour = ({ own }: Pick<Voice, 'own'>, place: number): string =>
  own ? 'var(--chart-text)' : (OTHERS[place % OTHERS.length] ?? OTHERS[0]);
