import type { Comment, PendingComment } from '../resources/comments.ts'
import type { RunningTimer, TimedTask } from '../resources/timer.ts'
import type { BulkOperation } from '../tasks/change-task.ts'
import type { CreateTaskBody, TaskWithPlaceholder } from '../tasks/create-task.ts'
import type { PendingBulkChange } from '../tasks/pending-bulk-change.ts'
import type { Task, TaskChange } from '../tasks/task-patch.ts'

/** What a mutation of each kind consists of; stored as JSON. */
export type StoredMutation =
  /** One that ends with its page, because the page alone knows how to send it. */
  | { kind: 'page' }
  | { kind: 'change'; id: string; change: TaskChange }
  /** `sent` has the operations of its one or two requests as soon as they are known. */
  | (PendingBulkChange & { kind: 'bulk'; sent: readonly (readonly BulkOperation[])[] })
  | { kind: 'create'; body: CreateTaskBody; placeholder: Task }
  | { kind: 'create-many'; tasks: readonly TaskWithPlaceholder[]; attempt: number }
  | { kind: 'restore'; id: string; short_id: string }
  | { kind: 'comment'; comment: PendingComment }
  | { kind: 'comment-edit'; comment: Comment; body: string }
  | { kind: 'deletion'; noun: DeletableNoun; id: string; task_id: string }
  | { kind: 'timer-start'; task: TimedTask; before: RunningTimer | null }
  | { kind: 'timer-stop'; running: RunningTimer; ended_at: string }

/** Records whose deletion outlives its page. */
export type DeletableNoun = 'comment' | 'time_entry' | 'attachment'

/** The stored mutation of a kind. */
export type MutationOfKind<K extends StoredMutation['kind']> = Extract<StoredMutation, { kind: K }>
