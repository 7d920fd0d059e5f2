import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity } from '../../../data/resources/activity.ts'
import type { Comment, PendingComment } from '../../../data/resources/comments.ts'
import { describeChanges } from './describe-changes.ts'
import { getOlderSource, mergeThread } from './merge-thread.ts'

const names = {
  person: (id: string) => ({ usr_1: 'Ines', usr_2: 'Mei' })[id] ?? id,
  tag: () => 'frontend',
  task: (id: string) => ({ tsk_1: 'DOC-1' })[id] ?? 'a task',
  project: (id: string) => ({ prj_1: 'Docs', prj_2: 'Billing' })[id] ?? id,
  status: (key: string) => ({ todo: 'To do', done: 'Done' })[key] ?? key,
}
const describeAsText = (changes: Parameters<typeof describeChanges>[0]) =>
  describeChanges(changes, names).map(({ verb, from, to }) =>
    [verb, ...(from ? [from, '→'] : []), ...(to ? [to] : [])].join(' '),
  )

test('describes a change with the value before and after', () => {
  assert.deepEqual(describeAsText({ status: { from: 'todo', to: 'done' } }), ['moved To do → Done'])
  assert.deepEqual(describeAsText({ estimate_seconds: { from: 21_600, to: 28_800 } }), [
    'set the estimate 6h → 8h',
  ])
  assert.deepEqual(describeAsText({ estimate_seconds: { from: null, to: 5_400 } }), [
    'set the estimate 1h 30m',
  ])
  assert.deepEqual(describeAsText({ due_date: { from: '2024-03-12', to: null } }), [
    'removed the due date 12 Mar 2024',
  ])
  assert.deepEqual(describeAsText({ priority: { from: 'none', to: 'urgent' } }), [
    'set the priority No priority → Urgent',
  ])
  assert.deepEqual(describeAsText({ title: { from: 'A', to: 'B' } }), ['changed the title A → B'])
  assert.deepEqual(describeAsText({ project_id: { from: 'prj_1', to: 'prj_2' } }), [
    'moved Docs → Billing',
  ])
  const fromInvisible = {
    project_id: { from: null, to: 'prj_2' },
    status: { from: null, to: 'todo' },
    tag_ids: { from: null, to: [] },
    parent_id: { from: null, to: null },
  }
  assert.deepEqual(describeAsText(fromInvisible), ['set the project Billing', 'set status To do'])
})

test('describes a changed set by the added and removed members', () => {
  assert.deepEqual(describeAsText({ assignee_ids: { from: ['usr_1'], to: ['usr_2'] } }), [
    'assigned Mei',
    'unassigned Ines',
  ])
  assert.deepEqual(describeAsText({ tag_ids: { from: [], to: ['tag_1'] } }), ['added frontend'])
  assert.deepEqual(describeAsText({ blocked_by_ids: { from: ['tsk_1'], to: [] } }), [
    'marked this task as no longer blocked by DOC-1',
  ])
})

test('omits derived fields and does not quote long texts', () => {
  const completed_at = { from: null, to: '2024-03-12T10:00:00.000Z' }
  assert.deepEqual(describeAsText({ status: { from: 'todo', to: 'done' }, completed_at }), [
    'moved To do → Done',
  ])
  assert.deepEqual(describeAsText({ description: { from: 'a', to: 'b' } }), [
    'changed the description',
  ])
  const due_at = { from: '2024-03-12T10:00:00.000Z', to: null }
  assert.deepEqual(describeAsText({ due_date: { from: '2024-03-12', to: '2024-03-13' }, due_at }), [
    'set the due date 12 Mar 2024 → 13 Mar 2024',
  ])
})

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
