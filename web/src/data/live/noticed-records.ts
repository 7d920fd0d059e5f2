const MAX_NOTICED = 1_000
const MEMORY_MS = 10_000
const noticedAt = new Map<string, number>()

/** Records that a notice about a record has arrived. */
export function recordNotice(id: string): void {
  noticedAt.delete(id)
  noticedAt.set(id, Date.now())
  const [oldest] = noticedAt.keys()
  if (noticedAt.size > MAX_NOTICED && oldest !== undefined) noticedAt.delete(oldest)
}

/** Whether a notice about a record has arrived lately. */
export const wasNoticed = (id: string): boolean =>
  (noticedAt.get(id) ?? Number.NEGATIVE_INFINITY) > Date.now() - MEMORY_MS
