import type { LiveEvent } from './live-message.ts'

const MAX_NOTICED = 1_000
const MEMORY_MS = 10_000
/** The last notice about each record, and when it came by `performance.now()`, which nobody sets back. */
const notices = new Map<string, { at: number; version: number | undefined }>()

/** Records that a notice about a record has arrived. */
export function recordNotice({ id, version }: Pick<LiveEvent, 'id' | 'version'>): void {
  notices.delete(id)
  notices.set(id, { at: performance.now(), version })
  const [oldest] = notices.keys()
  if (notices.size > MAX_NOTICED && oldest !== undefined) notices.delete(oldest)
}

/** Whether a notice about a record has arrived lately. */
export const wasNoticed = (id: string): boolean =>
  (notices.get(id)?.at ?? Number.NEGATIVE_INFINITY) > performance.now() - MEMORY_MS

/** When the last notice about a task came, if it was about this version (ms since 1970). */
export function findNoticeTime(id: string, version: number): number | undefined {
  const notice = notices.get(id)
  return notice?.version === version ? Date.now() - (performance.now() - notice.at) : undefined
}
