import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { StaleHint } from '#wire/stale-hint.ts'
import type { TypedRecord } from '../resources/held-records.ts'
import type { Task } from '../tasks/task-patch.ts'
import { parsePosition } from './feed-position.ts'

interface ChangeTarget {
  id: string
  project_id?: string | null
}

/** One step of the feed of changes (docs/spec/api.md#changes). */
export type FeedChange =
  | (ChangeTarget & { op: 'put'; type: 'task'; record: Task })
  | (ChangeTarget & { op: 'put'; type: 'project'; record: Project })
  | (ChangeTarget & { op: 'put' } & TypedRecord)
  | (ChangeTarget & { op: 'put'; type: 'member'; record: Member })
  | (ChangeTarget & { op: 'delete'; type: 'task' | 'project' | 'member' | TypedRecord['type'] })
  | (ChangeTarget & { op: 'reset'; type: 'project' })

export type LiveState = 'connecting' | 'live' | 'paused'

/**
 * What the tab with the connection broadcasts to the others. `position` is the place in the feed of
 * changes: another tab goes on from there. `previous` is what it was before the message: a tab that has
 * not come so far has missed messages.
 */
export type LiveMessage =
  | { state: LiveState; position: string | undefined }
  | { changes: readonly FeedChange[]; position: string; previous: string | undefined }
  | { hint: StaleHint }
  /** The feed began anew: what it has not told is unknown. */
  | { reset: true }
  /** Another tab asks whether this message arrives. */
  | { ping: true }

/**
 * Whether the feed had left the position of a tab before a message of the one with the connection, because
 * it was still loading or was suspended. One without a position has read all of late.
 */
export function hasMissedChanges(own: string | undefined, message: LiveMessage): boolean {
  const start =
    'state' in message
      ? message.position
      : 'changes' in message
        ? (message.previous ?? message.position)
        : undefined
  if (own === undefined || start === undefined) return false
  const [reached, left] = [parsePosition(own), parsePosition(start)]
  return reached.history !== left.history || reached.n < left.n
}
