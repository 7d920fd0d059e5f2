import type { LiveEvent } from './live-message.ts'

const MAX_NOTICED = 1_000
const MEMORY_MS = 10_000
/** When notices came, by `performance.now()`, which nobody sets back: about records and versions. */
const noticedAt = new Map<string, number>()
const versionNoticedAt = new Map<string, number>()

/** Records that a notice about a record has arrived. */
export function recordNotice({ id, version }: Pick<LiveEvent, 'id' | 'version'>): void {
  if (version === undefined) record(noticedAt, id)
  else record(versionNoticedAt, `${id} ${version}`)
}

function record(times: Map<string, number>, key: string): void {
  times.delete(key)
  times.set(key, performance.now())
  const [oldest] = times.keys()
  if (times.size > MAX_NOTICED && oldest !== undefined) times.delete(oldest)
}

/** Whether a notice about a record other than a task has arrived lately. */
export const wasNoticed = (id: string): boolean =>
  (noticedAt.get(id) ?? Number.NEGATIVE_INFINITY) > performance.now() - MEMORY_MS

/** When the notice about a version of a task came (ms since 1970). */
export function findNoticeTime(id: string, version: number): number | undefined {
  const at = versionNoticedAt.get(`${id} ${version}`)
  return at === undefined ? undefined : Date.now() - (performance.now() - at)
}
