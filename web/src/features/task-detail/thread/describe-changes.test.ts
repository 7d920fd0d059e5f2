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
const change = (id: string, at: string, changes = {}) =>
  ({ id, at, changes, kind: 'updated', actor: { id: 'usr_1' } }) as Activity
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

/** A change at a minute of one hour, by the first person unless stated. */
const changeAt = (minute: number, changes: Activity['changes'], other: Partial<Activity> = {}) => ({
  ...change(`a${minute}`, new Date(minute * 60_000).toISOString(), changes),
  ...other,
})
const describeThread = (activity: Activity[], comments: Comment[] = []) =>
  mergeThread(complete(...comments), complete(...activity), []).map((entry) =>
    entry.kind === 'activity'
      ? `${entry.activity.id} ${entry.activity.kind}: ${describeAsText(entry.activity.changes)}`
      : 'comment',
  )
const status = (from: string, to: string) => ({ status: { from, to } })
const done = { ...status('todo', 'done'), completed_at: { from: null, to: '1' } }
const undone = { ...status('done', 'todo'), completed_at: { from: '1', to: null } }
const estimate = (from: number | null, to: number) => ({ estimate_seconds: { from, to } })

test('joins changes of the same field by one person within ten minutes', () => {
  assert.deepEqual(
    describeThread([
      changeAt(0, { ...estimate(null, 3_600), priority: { from: 'none', to: 'high' } }),
      changeAt(4, { assignee_ids: { from: [], to: ['usr_2'] } }),
      changeAt(10, estimate(3_600, 7_200)),
      changeAt(11, estimate(7_200, 10_800)),
    ]),
    [
      'a0 updated: set the priority No priority → High',
      'a4 updated: assigned Mei',
      'a10 updated: set the estimate 2h',
      'a11 updated: set the estimate 2h → 3h',
    ],
  )
})

test('leaves out changes that cancel out', () => {
  const completed = changeAt(0, done, { kind: 'completed' })
  const reopened = changeAt(1, undone, { kind: 'reopened' })
  assert.deepEqual(describeThread([completed, reopened]), [])
  assert.deepEqual(
    describeThread([completed, changeAt(1, status('done', 'doing'), { kind: 'reopened' })]),
    ['a1 updated: moved To do → doing'],
  )
  const people = (...ids: string[][]) =>
    ids.slice(1).map((to, at) => changeAt(at, { assignee_ids: { from: ids[at], to } }))
  assert.deepEqual(describeThread(people(['usr_1', 'usr_2'], ['usr_2'], ['usr_2', 'usr_1'])), [])
})

test('joins no changes across a comment or a change by somebody else', () => {
  const [first, second] = [changeAt(0, done), changeAt(2, undone)]
  const between = comment('c1', new Date(60_000).toISOString())
  assert.equal(describeThread([first, second], [between]).length, 3)
  const mei = { actor: { ...first.actor, id: 'usr_2' } }
  assert.equal(describeThread([first, changeAt(2, undone, mei)]).length, 2)
  const others = [changeAt(1, status('done', 'doing'), mei), changeAt(2, status('doing', 'todo'))]
  assert.equal(describeThread([first, ...others]).length, 3)
})
