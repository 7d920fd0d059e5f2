import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#resources/tasks/fields.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { ListView } from '../../../replica/list-view.ts'
import type { GroupBy } from '../project-view.ts'
import { createListRules, type ProjectList, toProjectList } from './project-list.ts'

/* That lists are what the server says is checked in test/replica/project-list.test.ts. */

const status = (key: string) =>
  ({ key, name: key, category: 'unstarted', color: '#000000', position: 0 }) as const
const statuses = [status('todo'), status('doing')]
const context = {
  includes: () => true,
  nameOf: () => undefined,
  filterContext: {
    ...{ statuses, members: [], tags: [], projects: [], me: 'usr_1', today: '2026-11-20' },
    now: () => Date.parse('2026-11-20T12:00:00Z'),
  },
}
const record = (number: number, fields: Partial<Task> = {}) =>
  createTaskRecord({ id: `tsk_${number}`, number, position: `a${number}`, ...fields })

/** A list of tasks in a group, and a function that changes some of them and lists them anew. */
function createList(group: GroupBy, tasks: readonly Task[]) {
  const view = { filter: [], group, sort: 'position', descending: false } as const
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const list = new ListView(createListRules(view, context), tasks)
  return (...changed: Task[]): ProjectList => {
    for (const task of changed) byId.set(task.id, task)
    list.update(
      changed.map(({ id }) => id),
      (id) => byId.get(id),
      () => false,
    )
    return toProjectList(list, view, context, (id) => byId.get(id))
  }
}

test('stays the same object until the place of a task or a sum changes', () => {
  const update = createList('status', [record(1), record(2), record(3, { status: 'doing' })])
  const before = update()
  assert.deepEqual(
    before.groups.map(({ ids }) => ids),
    [['tsk_1', 'tsk_2'], ['tsk_3']],
  )
  assert.equal(update(record(1, { title: 'Renamed', version: 2 })), before)
  const estimated = update(record(1, { estimate_seconds: 60 }))
  assert.equal(estimated.groups[0]?.estimate_seconds, 60)
  assert.equal(estimated.groups[1], before.groups[1])
})

test('lists subtasks without a parent until the parent is loaded', () => {
  const update = createList('parent', [
    record(1),
    record(3, { parent_id: 'tsk_2', estimate_seconds: 60 }),
  ])
  const groupsOf = ({ groups }: ProjectList) =>
    groups.map(({ key, ids, estimate_seconds }) => [key, ids, estimate_seconds])
  const before = update()
  assert.deepEqual(groupsOf(before), [['none', ['tsk_1', 'tsk_3'], 60]])
  assert.deepEqual(before.parents, {})
  const after = update(record(2))
  assert.deepEqual(groupsOf(after), [
    ['tsk_2', ['tsk_3'], 60],
    ['none', ['tsk_1', 'tsk_2'], 0],
  ])
  assert.deepEqual(after.parents, { tsk_3: 'tsk_2' })
})

test('a filter by words asks the caller which tasks have them', () => {
  const view = {
    filter: [{ property: 'text', not: false, values: ['word'] }],
    ...({ group: 'none', sort: 'number', descending: false } as const),
  } as const
  const tasks = [record(1), record(2)]
  const countWith = (matches?: (task: Task) => boolean) =>
    new ListView(createListRules(view, { ...context, ...(matches && { matches }) }), tasks).total
  assert.equal(
    countWith(({ number }) => number === 2),
    1,
  )
  assert.equal(countWith(), 2)
})
