import { isTooMany } from '~/api/errors';

/** What went wrong with a list: too many results and everything else are kept apart. */
export interface ErrorSlots {
  timeout: boolean;
  other: boolean;
}

export const errorSlots = (error: unknown): ErrorSlots => ({
  timeout: error !== null && isTooMany(error),
  other: error !== null && !isTooMany(error),
});
