import type { Activity } from '../../../data/resources/activity.ts'
import type { Comment, PendingComment } from '../../../data/resources/comments.ts'
import { compareText } from '../../../lib/text/compare-text.ts'
import { DERIVED_FIELDS } from './describe-changes.ts'

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
 * between those already displayed. Changes in quick succession are joined.
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
  const known = entries
    .filter(({ at }) => at >= horizon)
    .toSorted((a, b) => compareText(a.at, b.at))
  return [
    ...foldChanges(known),
    // Unsaved comments come last, even if the clock of this device is slow.
    ...pendingEntries,
  ]
}

/** Changes of one field by one person within this time are joined. */
const FOLD_MS = 10 * 60_000
const FOLDED_KINDS: ReadonlySet<Activity['kind']> = new Set([
  'updated',
  'assigned',
  'completed',
  'reopened',
])

/**
 * Joins what one person does to the same field within ten minutes, at the place of the last change,
 * and leaves out what cancels out. Nothing is joined across a comment, which may refer to what is
 * above it, or across a change of that field by somebody else.
 */
function foldChanges(entries: readonly ThreadEntry[]): ThreadEntry[] {
  const copies = entries.map((entry) => {
    if (entry.kind !== 'activity') return entry
    return { ...entry, activity: { ...entry.activity, changes: { ...entry.activity.changes } } }
  })
  /** By field its last change, and since when that person has been changing it. */
  const last = new Map<string, { activity: Activity; since: string }>()
  const reduced = new Set<Activity>()
  for (const entry of copies) {
    if (entry.kind !== 'activity') {
      last.clear()
      continue
    }
    const { activity } = entry
    for (const [field, change] of Object.entries(activity.changes)) {
      const previous = last.get(field)
      const first = previous?.activity.changes[field]
      const isFolded = previous && first && canFold(previous, activity)
      last.set(field, { activity, since: isFolded ? previous.since : activity.at })
      if (!isFolded) continue
      reduced.add(previous.activity).add(activity)
      const isCanceled = isSame(first.from, change.to) && !first.truncated && !change.truncated
      delete previous.activity.changes[field]
      if (isCanceled) delete activity.changes[field]
      else activity.changes[field] = { ...change, from: first.from }
      if (field !== 'status') continue
      // "Completed" and "reopened" hold for the way from the status before to the one after.
      previous.activity.kind = 'updated'
      if (isCanceled || activity.kind === 'reopened') activity.kind = 'updated'
    }
  }
  return copies.filter(
    (entry) =>
      entry.kind !== 'activity' ||
      !reduced.has(entry.activity) ||
      Object.keys(entry.activity.changes).some((field) => !DERIVED_FIELDS.has(field)),
  )
}

const canFold = (previous: { activity: Activity; since: string }, { kind, actor, at }: Activity) =>
  FOLDED_KINDS.has(kind) &&
  FOLDED_KINDS.has(previous.activity.kind) &&
  isSame(previous.activity.actor, actor) &&
  Date.parse(at) - Date.parse(previous.since) <= FOLD_MS

const isSame = (a: unknown, b: unknown): boolean => toComparable(a) === toComparable(b)

/** People and tags are sets. */
const toComparable = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

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
