import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deedsOf } from './activity-words.ts'

const names = {
  person: (id: string) => ({ usr_1: 'Ines', usr_2: 'Mei' })[id] ?? id,
  tag: () => 'frontend',
  task: (id: string) => ({ tsk_1: 'DOC-1' })[id] ?? 'a task',
  project: (id: string) => ({ prj_1: 'Docs', prj_2: 'Billing' })[id] ?? id,
  status: (key: string) => ({ todo: 'To do', done: 'Done' })[key] ?? key,
}
const told = (changes: Parameters<typeof deedsOf>[0]) =>
  deedsOf(changes, names).map(({ verb, from, to }) =>
    [verb, ...(from ? [from, '→'] : []), ...(to ? [to] : [])].join(' '),
  )

test('a change is told with what it was before and after', () => {
  assert.deepEqual(told({ status: { from: 'todo', to: 'done' } }), ['moved To do → Done'])
  assert.deepEqual(told({ estimate_seconds: { from: 21_600, to: 28_800 } }), [
    'set estimate 6h → 8h',
  ])
  assert.deepEqual(told({ estimate_seconds: { from: null, to: 5_400 } }), ['set estimate 1h 30m'])
  assert.deepEqual(told({ due_date: { from: '2026-03-12', to: null } }), ['removed due Thu 12 Mar'])
  assert.deepEqual(told({ priority: { from: 'none', to: 'urgent' } }), [
    'set priority None → Urgent',
  ])
  assert.deepEqual(told({ title: { from: 'A', to: 'B' } }), ['changed the title A → B'])
  assert.deepEqual(told({ project_id: { from: 'prj_1', to: 'prj_2' } }), ['moved Docs → Billing'])
})

test('of a set it is told who came and who went', () => {
  assert.deepEqual(told({ assignee_ids: { from: ['usr_1'], to: ['usr_2'] } }), [
    'assigned Mei',
    'took off Ines',
  ])
  assert.deepEqual(told({ tag_ids: { from: [], to: ['tag_1'] } }), ['added frontend'])
  assert.deepEqual(told({ blocked_by_ids: { from: ['tsk_1'], to: [] } }), [
    'made it wait no longer for DOC-1',
  ])
})

test('what follows from another field is not told twice, and long texts are not repeated', () => {
  const completed_at = { from: null, to: '2026-03-12T10:00:00.000Z' }
  assert.deepEqual(told({ status: { from: 'todo', to: 'done' }, completed_at }), [
    'moved To do → Done',
  ])
  assert.deepEqual(told({ description: { from: 'a', to: 'b' } }), ['changed the description'])
  const due_at = { from: '2026-03-12T10:00:00.000Z', to: null }
  assert.deepEqual(told({ due_date: { from: '2026-03-12', to: '2026-03-13' }, due_at }), [
    'set due Thu 12 Mar → Fri 13 Mar',
  ])
})
