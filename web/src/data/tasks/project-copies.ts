import { readReply } from '../../lib/http/reply-cache.ts'
import type { ChangePosition, ScopeCopy } from '../../replica/local-replica.ts'
import type { Task } from './task-patch.ts'

/** Tasks whose numbers are near each other are stored together: most changes are of recent ones. */
const NUMBERS_PER_CHUNK = 256
export const chunkOf = ({ number }: Pick<Task, 'number'>): string =>
  String(Math.floor(number / NUMBERS_PER_CHUNK))

/** What is stored of a project beside its tasks. */
export interface CopyHead extends ChangePosition {
  /** The change number of each chunk when it was written. */
  chunks: Record<string, number>
}

export interface ProjectCopyChunk {
  n: number
  tasks: readonly Task[]
}

export const headKey = (project_id: string) => `tasks ${project_id}`
export const chunkKey = (project_id: string, chunk: string) => `tasks ${project_id} ${chunk}`

/** The tasks of a project as the browser has stored them at a moment (ms). */
export interface ProjectCopy extends ScopeCopy<Task> {
  at: number
}

/** Undefined unless the browser has all of them. */
export async function readProjectCopy(project_id: string): Promise<ProjectCopy | undefined> {
  const stored = await readReply(headKey(project_id))
  const head: CopyHead | undefined = stored && JSON.parse(stored.text)
  if (!stored || !head) return undefined
  const all = await Promise.all(
    Object.entries(head.chunks).map(async ([chunk, n]) => {
      const reply = await readReply(chunkKey(project_id, chunk))
      const content: ProjectCopyChunk | undefined = reply && JSON.parse(reply.text)
      return content && content.n >= n ? content.tasks : undefined
    }),
  )
  const whole = all.filter((tasks) => tasks !== undefined)
  if (whole.length < all.length) return undefined
  return { history: head.history, n: head.n, at: stored.at, records: whole.flat() }
}
