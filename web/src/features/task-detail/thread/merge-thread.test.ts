import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity } from '../../../data/resources/activity.ts'
import type { Comment, PendingComment } from '../../../data/resources/comments.ts'
import { getOlderSource, mergeThread } from './merge-thread.ts'

const comment = (id: string, created_at: string, parent_id: string | null = null) =>
  ({ id, created_at, parent_id }) as Comment
const change = (id: string, at: string) => ({ id, at }) as Activity
const pending = (key: string, parent_id: string | null = null) =>
  ({ key, parent_id, created_at: '0' }) as PendingComment
const complete = <T>(...list: T[]) => ({ list, hasOlder: false })
const partial = <T>(...list: T[]) => ({ list, hasOlder: true })

const format = (entries: ReturnType<typeof mergeThread>) =>
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

test('merges comments and changes in order of time, with replies under their comment', () => {
  const comments = complete(comment('c1', '1'), comment('c2', '3'), comment('r1', '5', 'c1'))
  const activity = complete(change('a1', '2'), change('a2', '4'))
  assert.deepEqual(format(mergeThread(comments, activity, [])), ['c1 r1', 'a1', 'c2', 'a2'])
})

test('puts pending comments at the end, or under the comment they reply to', () => {
  const entries = mergeThread(complete(comment('c1', '1')), complete(change('a1', '2')), [
    pending('p1'),
    pending('p2', 'c1'),
  ])
  assert.deepEqual(format(entries), ['c1 p2', 'a1', 'p1'])
})

test('loading older entries never inserts between those already displayed', () => {
  const comments = partial(comment('c8', '8'), comment('c9', '9'))
  const activity = complete(change('a1', '1'), change('a8', '85'))
  assert.deepEqual(format(mergeThread(comments, activity, [])), ['c8', 'a8', 'c9'])
  assert.equal(getOlderSource(comments, activity), 'comments')
  assert.equal(getOlderSource(partial(comment('c8', '8')), partial(change('a9', '9'))), 'activity')
  assert.equal(getOlderSource(complete(), complete()), undefined)
})

test('shows a reply on its own if its comment is not loaded or deleted', () => {
  const [entry] = mergeThread(complete(comment('r1', '5', 'c1')), complete(), [])
  assert.ok(entry?.kind === 'comment' && entry.orphan)
})
