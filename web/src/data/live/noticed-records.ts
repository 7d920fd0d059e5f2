import type { LiveEvent } from './live-message.ts'

const MAX_NOTICED = 1_000
const MEMORY_MS = 10_000
/** When notices about records came, by `performance.now()`, which nobody sets back. */
const noticedAt = new Map<string, number>()

/** Records that a notice about a record has arrived. */
export function recordNotice({ id }: Pick<LiveEvent, 'id'>): void {
  noticedAt.delete(id)
  noticedAt.set(id, performance.now())
  const [oldest] = noticedAt.keys()
  if (noticedAt.size > MAX_NOTICED && oldest !== undefined) noticedAt.delete(oldest)
}

/** Whether a notice about a record has arrived lately. */
export const wasNoticed = (id: string): boolean =>
  (noticedAt.get(id) ?? Number.NEGATIVE_INFINITY) > performance.now() - MEMORY_MS
