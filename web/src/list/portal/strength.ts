/** Captures of an hour below which little can be said of it. */
const FEW = 5;
/** Of a normal distribution: the interval holds the true share in 19 of 20 cases. */
const Z = 1.96;

/**
 * How strongly an hour is drawn, from 0 to 1: the least share of its captures that shows an ad in truth, as far as so many captures can tell
 * (lower end of Wilson's interval). One of one says less than nine of ten.
 */
export function strengthOf(seen: number, captures: number): number {
  if (captures <= 0) return 0;
  const share = Math.min(1, seen / captures);
  const spread = Z * Math.sqrt((share * (1 - share)) / captures + Z ** 2 / (4 * captures ** 2));
  return Math.max(0, (share + Z ** 2 / (2 * captures) - spread) / (1 + Z ** 2 / captures));
}

/** Whether an hour has too few captures to be told by its share. */
export const isUncertain = (captures: number): boolean => captures < FEW;
