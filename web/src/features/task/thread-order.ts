import type { Activity } from '../../data/activity.ts'
import type { Comment, PendingComment } from '../../data/comments.ts'
import { compare } from '../../lib/compare.ts'

/** One line of the thread: a comment with its replies, one that is on its way, or a change. */
export type Entry =
  | { kind: 'comment'; at: string; comment: Comment; replies: Reply[]; orphan: boolean }
  | { kind: 'pending'; at: string; pending: PendingComment }
  | { kind: 'activity'; at: string; activity: Activity }
export type Reply =
  | { kind: 'sent'; comment: Comment }
  | { kind: 'pending'; pending: PendingComment }

interface Read<T> {
  /** The oldest first. */
  list: readonly T[]
  hasOlder: boolean
}

/**
 * Comments and changes in one order of time. Where only the newer part of one list was read, older entries of the
 * other wait: else what comes later would appear among what was seen already.
 */
export function threadOf(
  comments: Read<Comment>,
  activity: Read<Activity>,
  pending: readonly PendingComment[],
): Entry[] {
  const from = [
    horizon(comments, ({ created_at }) => created_at),
    horizon(activity, ({ at }) => at),
  ]
  const since = from.toSorted().at(-1) ?? ''
  const known = new Set(comments.list.map(({ id }) => id))
  const top = comments.list.filter(({ parent_id }) => parent_id === null || !known.has(parent_id))
  const entries: Entry[] = [
    ...top.map((comment): Entry => {
      const { id, created_at, parent_id } = comment
      const replies = repliesTo(id, comments.list, pending)
      return { kind: 'comment', at: created_at, comment, replies, orphan: parent_id !== null }
    }),
    ...activity.list.map((one): Entry => ({ kind: 'activity', at: one.at, activity: one })),
  ]
  const waiting = pending
    .filter(({ parent_id }) => parent_id === null || !known.has(parent_id))
    .map((one): Entry => ({ kind: 'pending', at: one.created_at, pending: one }))
  return [
    ...entries.filter(({ at }) => at >= since).toSorted((a, b) => compare(a.at, b.at)),
    // What is not sent yet is the newest, whatever the clock of this device says.
    ...waiting,
  ]
}

/** Which of the two lists has to be read on, for the next older entries of both. */
export function olderOf(
  comments: Read<Comment>,
  activity: Read<Activity>,
): 'comments' | 'activity' | undefined {
  if (!comments.hasOlder) return activity.hasOlder ? 'activity' : undefined
  if (!activity.hasOlder) return 'comments'
  const [comment, change] = [comments.list[0]?.created_at ?? '', activity.list[0]?.at ?? '']
  return comment > change ? 'comments' : 'activity'
}

function repliesTo(
  id: string,
  comments: readonly Comment[],
  pending: readonly PendingComment[],
): Reply[] {
  return [
    ...comments
      .filter(({ parent_id }) => parent_id === id)
      .map((comment): Reply => ({ kind: 'sent', comment })),
    ...pending
      .filter(({ parent_id }) => parent_id === id)
      .map((one): Reply => ({ kind: 'pending', pending: one })),
  ]
}

const horizon = <T>({ list, hasOlder }: Read<T>, at: (one: T) => string): string => {
  const [oldest] = list
  return hasOlder && oldest !== undefined ? at(oldest) : ''
}
