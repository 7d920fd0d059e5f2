/** What is known of an event of the log: its place and when it was. */
export interface Placed {
  sequence: number
  timestamp: string
}

/** Reads the event after a sequence; undefined if there is none. */
export type ReadAfter = (sequence: number) => Promise<Placed | undefined>

/**
 * The first event at or after an instant; undefined if none is that late. The log is read by sequence
 * alone, and is gapless from its oldest: halving finds the place with about 2 log₂(n) reads.
 */
export async function firstSince(
  oldest: Placed | undefined,
  since: number,
  read: ReadAfter,
): Promise<Placed | undefined> {
  if (!oldest || Date.parse(oldest.timestamp) >= since) return oldest
  let before = oldest.sequence
  let step = 64
  let found = await read(before + step - 1)
  while (found && Date.parse(found.timestamp) < since) {
    before = found.sequence
    step *= 2
    found = await read(before + step - 1)
  }
  // `beyond` is at or after the instant, or past the end of the log.
  let beyond = before + step
  while (beyond - before > 1) {
    const middle = Math.floor((before + beyond) / 2)
    const one = await read(middle - 1)
    if (one && Date.parse(one.timestamp) < since) before = middle
    else {
      beyond = middle
      found = one ?? found
    }
  }
  return found?.sequence === beyond ? found : await read(beyond - 1)
}

/** Windows of at most `width` sequences that cover all of some, the newest first. */
export function windowsOf(
  sequences: readonly number[],
  width: number,
): { after: number; count: number }[] {
  const left = [...new Set(sequences)].toSorted((a, b) => b - a)
  const windows: { after: number; count: number }[] = []
  while (left.length > 0) {
    const newest = left[0] ?? 0
    const inside = left.filter((one) => one > newest - width)
    const oldest = inside.at(-1) ?? newest
    windows.push({ after: oldest - 1, count: newest - oldest + 1 })
    left.splice(0, inside.length)
  }
  return windows
}
