import type { Project } from '#resources/projects/contract.ts'
import type { RecordChange } from '#wire/record-change.ts'
import type { Task } from '../tasks/task-patch.ts'
import type { LiveState } from './live-state.ts'

/** A committed write, as the server announces it on `GET /internal/live`. */
export type LiveEvent = Omit<RecordChange, 'project_id' | 'seq'> & { project_id?: string | null }

interface ChangeTarget {
  id: string
  project_id?: string | null
}

interface TaskPut extends ChangeTarget {
  op: 'put'
  type: 'task'
  record: Task
}

/** One step of the feed of changes (docs/spec/api.md#changes). */
export type FeedChange =
  | TaskPut
  | (ChangeTarget & { op: 'put'; type: 'project'; record: Project })
  | (ChangeTarget & { op: 'put'; type: NoticedType; record: { task_id?: string } })
  | (ChangeTarget & { op: 'delete'; type: 'task' })
  | (ChangeTarget & { op: 'delete'; type: 'project' | NoticedType })
  | (ChangeTarget & { op: 'reset'; type: 'project' })

/** The types of record about which a page asks when it hears that one has changed. */
export type NoticedType = 'comment' | 'time_entry' | 'attachment' | 'tag' | 'member'

/**
 * What the tab with the connections broadcasts to the others. `at` is the id of the newest notice,
 * `position` the place in the feed of changes: another tab goes on from there. `previous` is what
 * they were before the message: a tab that has not come so far has missed messages.
 */
export type LiveMessage =
  | { state: LiveState; at: string; position: string | undefined }
  | { notice: LiveEvent | undefined; at: string; previous: string }
  | { changes: readonly FeedChange[]; position: string; previous: string | undefined }
  /** Only notices were missed, or the feed began anew: what it has not told is unknown. */
  | { reset: 'all' | 'notices'; at: string }
  /** Another tab asks whether this message arrives. */
  | { ping: true }
