import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity } from '../../data/activity.ts'
import type { Comment, PendingComment } from '../../data/comments.ts'
import { olderOf, threadOf } from './thread-order.ts'

const comment = (id: string, created_at: string, parent_id: string | null = null) =>
  ({ id, created_at, parent_id }) as Comment
const change = (id: string, at: string) => ({ id, at }) as Activity
const pending = (key: string, parent_id: string | null = null) =>
  ({ key, parent_id, created_at: '0' }) as PendingComment
const all = <T>(...list: T[]) => ({ list, hasOlder: false })
const newest = <T>(...list: T[]) => ({ list, hasOlder: true })

const shown = (entries: ReturnType<typeof threadOf>) =>
  entries.map((entry) =>
    entry.kind === 'comment'
      ? [
          entry.comment.id,
          ...entry.replies.map((one) => (one.kind === 'sent' ? one.comment.id : one.pending.key)),
        ].join(' ')
      : entry.kind === 'activity'
        ? entry.activity.id
        : entry.pending.key,
  )

test('comments and changes stand in one order, replies under what they answer', () => {
  const comments = all(comment('c1', '1'), comment('c2', '3'), comment('r1', '5', 'c1'))
  const activity = all(change('a1', '2'), change('a2', '4'))
  assert.deepEqual(shown(threadOf(comments, activity, [])), ['c1 r1', 'a1', 'c2', 'a2'])
})

test('what is on its way stands at the end, or under what it answers', () => {
  const entries = threadOf(all(comment('c1', '1')), all(change('a1', '2')), [
    pending('p1'),
    pending('p2', 'c1'),
  ])
  assert.deepEqual(shown(entries), ['c1 p2', 'a1', 'p1'])
})

test('nothing appears among what was seen already when older entries are read', () => {
  const comments = newest(comment('c8', '8'), comment('c9', '9'))
  const activity = all(change('a1', '1'), change('a8', '85'))
  assert.deepEqual(shown(threadOf(comments, activity, [])), ['c8', 'a8', 'c9'])
  assert.equal(olderOf(comments, activity), 'comments')
  assert.equal(olderOf(newest(comment('c8', '8')), newest(change('a9', '9'))), 'activity')
  assert.equal(olderOf(all(), all()), undefined)
})

test('a reply whose comment was not read, or is gone, stands for itself', () => {
  const [entry] = threadOf(all(comment('r1', '5', 'c1')), all(), [])
  assert.ok(entry?.kind === 'comment' && entry.orphan)
})
