import type { Activity } from '../../../data/resources/activity.ts'
import type { Comment, PendingComment } from '../../../data/resources/comments.ts'
import { compareText } from '../../../lib/text/compare-text.ts'

/** One entry of the thread: a comment with its replies, an unsaved comment, or a change. */
export type ThreadEntry =
  | { kind: 'comment'; at: string; comment: Comment; replies: CommentReply[]; orphan: boolean }
  | { kind: 'pending'; at: string; pending: PendingComment }
  | { kind: 'activity'; at: string; activity: Activity }
export type CommentReply =
  | { kind: 'sent'; comment: Comment }
  | { kind: 'pending'; pending: PendingComment }

interface LoadedPart<T> {
  /** In ascending order of time. */
  list: readonly T[]
  hasOlder: boolean
}

/**
 * Merges comments and changes in order of time. While one list is only loaded back to some point,
 * older entries of the other are left out: otherwise entries that are loaded later would appear
 * between those already displayed.
 */
export function mergeThread(
  comments: LoadedPart<Comment>,
  activity: LoadedPart<Activity>,
  pending: readonly PendingComment[],
): ThreadEntry[] {
  const horizons = [
    getHorizon(comments, ({ created_at }) => created_at),
    getHorizon(activity, ({ at }) => at),
  ]
  const horizon = horizons.toSorted().at(-1) ?? ''
  const commentIds = new Set(comments.list.map(({ id }) => id))
  const topLevel = comments.list.filter(
    ({ parent_id }) => parent_id === null || !commentIds.has(parent_id),
  )
  const entries: ThreadEntry[] = [
    ...topLevel.map((comment): ThreadEntry => {
      const { id, created_at, parent_id } = comment
      const replies = repliesTo(id, comments.list, pending)
      return { kind: 'comment', at: created_at, comment, replies, orphan: parent_id !== null }
    }),
    ...activity.list.map((one): ThreadEntry => ({ kind: 'activity', at: one.at, activity: one })),
  ]
  const pendingEntries = pending
    .filter(({ parent_id }) => parent_id === null || !commentIds.has(parent_id))
    .map((one): ThreadEntry => ({ kind: 'pending', at: one.created_at, pending: one }))
  return [
    ...entries.filter(({ at }) => at >= horizon).toSorted((a, b) => compareText(a.at, b.at)),
    // Unsaved comments come last, even if the clock of this device is slow.
    ...pendingEntries,
  ]
}

/** Returns the list to load more of, for the next older entries of the thread. */
export function getOlderSource(
  comments: LoadedPart<Comment>,
  activity: LoadedPart<Activity>,
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
): CommentReply[] {
  return [
    ...comments
      .filter(({ parent_id }) => parent_id === id)
      .map((comment): CommentReply => ({ kind: 'sent', comment })),
    ...pending
      .filter(({ parent_id }) => parent_id === id)
      .map((one): CommentReply => ({ kind: 'pending', pending: one })),
  ]
}

const getHorizon = <T>({ list, hasOlder }: LoadedPart<T>, at: (one: T) => string): string => {
  const [oldest] = list
  return hasOlder && oldest !== undefined ? at(oldest) : ''
}
