import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/**
 * A rank (ASCII, compared bytewise) strictly between two others; undefined means no bound. Throws
 * if both are equal or one is not a rank.
 */
export const rankBetween = (before: string | undefined, after: string | undefined): string =>
  generateKeyBetween(before, after)

/** `n` ranks in ascending order strictly between two others, about as short as possible. */
export const ranksBetween = (
  before: string | undefined,
  after: string | undefined,
  n: number,
): string[] => generateNKeysBetween(before, after, n)
