import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doneOf, listed } from './listed.ts'
import { prefixOf } from './prefix.ts'
import { draftsOf, isChanged, isWhole, moved, sentOf } from './settings/status-edit.ts'

test('a name suggests a prefix that is free', () => {
  const none = new Set<string>()
  assert.equal(prefixOf('Mobile app', none), 'MOB')
  assert.equal(prefixOf('Website relaunch', new Set(['WEB'])), 'WEB2')
  assert.equal(prefixOf('Research and development 2026', none), 'RAD')
  assert.equal(prefixOf('Öffentliche Arbeit', none), 'OFF')
  assert.equal(prefixOf('3D printing', none), 'DPR')
  assert.equal(prefixOf('计划', none), '')
  assert.equal(prefixOf('X', none), '')
})

const project = (name: string, done: number, rest: object = {}) => ({
  ...{ name, prefix: name.slice(0, 2).toUpperCase(), status: 'active' as 'active' | 'archived' },
  ...{ updated_at: '2026-01-01', target_date: null as string | null },
  task_counts: {
    ...{ total: 10, backlog: 0, unstarted: 0, started: 0, completed: done, canceled: 2 },
  },
  ...rest,
})

test('projects are searched by words and prefix, and sorted with ties by name', () => {
  const all = [
    project('Zebra crossing', 8),
    project('Ärzte', 4, { target_date: '2026-03-12' }),
    project('Attic', 4, { status: 'archived' }),
    project('Mobile app', 4, { updated_at: '2026-02-01' }),
  ]
  const names = (sort: 'name' | 'changed' | 'target' | 'progress', q = '') =>
    listed(all, { show: 'active', sort, q }).map(({ name }) => name)
  assert.deepEqual(names('name'), ['Ärzte', 'Mobile app', 'Zebra crossing'])
  assert.deepEqual(names('changed')[0], 'Mobile app')
  assert.deepEqual(names('target')[0], 'Ärzte')
  assert.deepEqual(names('progress'), ['Zebra crossing', 'Ärzte', 'Mobile app'])
  assert.deepEqual(names('name', 'arzt'), ['Ärzte'])
  assert.deepEqual(names('name', 'mo app'), ['Mobile app'])
  assert.deepEqual(listed(all, { show: 'archived', sort: 'name', q: '' })[0]?.name, 'Attic')
  const [first] = all
  assert.ok(first)
  assert.equal(doneOf(first), 1)
})

test('statuses are moved and sent as they are, and told apart from those that the project has', () => {
  const status = (key: string, category: 'unstarted' | 'completed', position: number) => ({
    ...{ key, name: key, category, position, color: '#6b7280' },
  })
  const statuses = [status('todo', 'unstarted', 0), status('done', 'completed', 1)]
  const drafts = draftsOf(statuses)
  assert.equal(isChanged(drafts, statuses), false)
  assert.deepEqual(
    moved(drafts, 0, 1).map(({ key }) => key),
    ['done', 'todo'],
  )
  assert.deepEqual(moved(drafts, 0, 2), drafts)
  assert.equal(isChanged(moved(drafts, 0, 1), statuses), true)
  assert.equal(isWhole(drafts), true)
  assert.equal(isWhole(drafts.slice(1)), false)
  const fresh = { id: 'x', key: undefined, name: ' New ', category: 'started' as const }
  assert.deepEqual(sentOf([{ ...fresh, color: undefined }]), [{ name: 'New', category: 'started' }])
})
