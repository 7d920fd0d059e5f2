import { readReply } from '../../lib/http/reply-cache.ts'
import type { ChangePosition } from '../../replica/local-replica.ts'
import type { StoredCopy } from '../session/page-replica.ts'
import { omittedProjectIds } from './load-tasks.ts'
import type { Task } from './task-patch.ts'

/** Tasks whose numbers are near each other are stored together: most changes are of recent ones. */
const NUMBERS_PER_CHUNK = 256
export const chunkOf = (
  scope: string,
  { project_id, number }: Pick<Task, 'project_id' | 'number'>,
) => {
  const chunk = String(Math.floor(number / NUMBERS_PER_CHUNK))
  return scope === project_id ? chunk : `${project_id} ${chunk}`
}

/** What is stored of a scope beside its tasks. */
export interface CopyHead extends ChangePosition {
  /** The change number of each chunk when it was written. */
  chunks: Record<string, number>
  /** Of the open tasks of all projects: those that are left out (`omittedProjectIds`). */
  omitted_project_ids?: readonly string[]
}

export interface TasksCopyChunk {
  n: number
  tasks: readonly Task[]
}

export const headKey = (scope: string) => `tasks ${scope}`
export const chunkKey = (scope: string, chunk: string) => `tasks ${scope} ${chunk}`

/** Undefined unless the browser has all of them. */
export async function readTasksCopy(scope: string): Promise<StoredCopy<Task> | undefined> {
  const stored = await readReply(headKey(scope))
  const head: CopyHead | undefined = stored && JSON.parse(stored.text)
  if (!stored || !head) return undefined
  const all = await Promise.all(
    Object.entries(head.chunks).map(async ([chunk, n]) => {
      const reply = await readReply(chunkKey(scope, chunk))
      const content: TasksCopyChunk | undefined = reply && JSON.parse(reply.text)
      return content && content.n >= n ? content.tasks : undefined
    }),
  )
  const whole = all.filter((tasks) => tasks !== undefined)
  if (whole.length < all.length) return undefined
  if (head.omitted_project_ids) omittedProjectIds.set(head.omitted_project_ids)
  return { history: head.history, n: head.n, at: stored.at, records: whole.flat() }
}
