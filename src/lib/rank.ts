import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/**
 * A rank (ASCII, compared bytewise) strictly between two others; undefined is the open end. Throws
 * when both are the same or one is no rank.
 */
export const rankBetween = (before: string | undefined, after: string | undefined): string =>
  generateKeyBetween(before, after)

/** That many ranks in ascending order, all strictly between the two; about as short as can be. */
export const ranksBetween = (
  before: string | undefined,
  after: string | undefined,
  n: number,
): string[] => generateNKeysBetween(before, after, n)
