import type { EventPosition } from '#resources/events/contract.ts'

/** Reads the timestamp of the event with a sequence; undefined if there is none any more. */
type ReadEventTime = (sequence: number) => Promise<string | undefined>

/**
 * Finds the sequence of the first stored event at or after an instant (ms); undefined if all are
 * earlier. The log can be read only by sequence, and has no gaps after its oldest event, so a binary
 * search needs about log₂(n) reads.
 */
export async function findFirstSequenceSince(
  { oldest_sequence, newest_sequence }: EventPosition,
  since: number,
  readTime: ReadEventTime,
): Promise<number | undefined> {
  if (oldest_sequence === null) return undefined
  let first = oldest_sequence
  let end = newest_sequence + 1
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    const timestamp = await readTime(middle)
    if (timestamp !== undefined && Date.parse(timestamp) < since) first = middle + 1
    else end = middle
  }
  return first > newest_sequence ? undefined : first
}

/** Windows of at most `width` sequences that cover all given ones, newest first. */
export function toSequenceWindows(
  sequences: readonly number[],
  width: number,
): { after: number; count: number }[] {
  const remaining = [...new Set(sequences)].toSorted((a, b) => b - a)
  const windows: { after: number; count: number }[] = []
  while (remaining.length > 0) {
    const newest = remaining[0] ?? 0
    const inside = remaining.filter((sequence) => sequence > newest - width)
    const oldest = inside.at(-1) ?? newest
    windows.push({ after: oldest - 1, count: newest - oldest + 1 })
    remaining.splice(0, inside.length)
  }
  return windows
}
