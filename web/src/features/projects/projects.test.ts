import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '#resources/projects/contract.ts'
import { filterProjects, getCompletedShare } from './project-list.ts'
import {
  hasRequiredStatuses,
  hasStatusChanges,
  keepLaterDrafts,
  moveStatusDraft,
  type StatusDraft,
  toStatusDrafts,
  toStatusInputs,
} from './settings/status-drafts.ts'
import { suggestPrefix } from './suggest-prefix.ts'

test('suggests a free prefix from the project name', () => {
  const none = new Set<string>()
  assert.equal(suggestPrefix('Mobile app', none), 'MOB')
  assert.equal(suggestPrefix('Website relaunch', new Set(['WEB'])), 'WEB2')
  assert.equal(suggestPrefix('Research and development 2026', none), 'RAD')
  assert.equal(suggestPrefix('Öffentliche Arbeit', none), 'OFF')
  assert.equal(suggestPrefix('3D printing', none), 'DPR')
  assert.equal(suggestPrefix('计划', none), '')
  assert.equal(suggestPrefix('X', none), '')
})

const project = (name: string, done: number, rest: object = {}) => ({
  name,
  prefix: name.slice(0, 2).toUpperCase(),
  status: 'active' as 'active' | 'archived',
  target_date: null as string | null,
  task_counts: {
    total: 10,
    backlog: 0,
    unstarted: 0,
    started: 0,
    completed: done,
    canceled: 2,
  },
  ...rest,
})

test('searches projects by words and prefix, and sorts ties by name', () => {
  const all = [
    project('Zebra crossing', 8),
    project('Ärzte', 4, { target_date: '2026-03-12' }),
    project('Attic', 4, { status: 'archived' }),
    project('Mobile app', 4),
  ]
  const names = (sort: 'name' | 'target' | 'progress', q = '') =>
    filterProjects(all, { show: 'active', sort, q }).map(({ name }) => name)
  assert.deepEqual(names('name'), ['Ärzte', 'Mobile app', 'Zebra crossing'])
  assert.deepEqual(names('target')[0], 'Ärzte')
  assert.deepEqual(names('progress'), ['Zebra crossing', 'Ärzte', 'Mobile app'])
  assert.deepEqual(names('name', 'arzt'), ['Ärzte'])
  assert.deepEqual(names('name', 'mo app'), ['Mobile app'])
  assert.deepEqual(filterProjects(all, { show: 'archived', sort: 'name', q: '' })[0]?.name, 'Attic')
  const [first] = all
  assert.ok(first)
  assert.equal(getCompletedShare(first), 1)
})

test('moves status drafts, detects changes and builds the request body', () => {
  const status = (key: string, category: 'unstarted' | 'completed', position: number) => ({
    key,
    name: key,
    category,
    position,
    color: '#6b7280',
  })
  const statuses = [status('todo', 'unstarted', 0), status('done', 'completed', 1)]
  const drafts = toStatusDrafts(statuses)
  assert.equal(hasStatusChanges(drafts, statuses), false)
  assert.deepEqual(
    moveStatusDraft(drafts, 0, 1).map(({ key }) => key),
    ['done', 'todo'],
  )
  assert.deepEqual(moveStatusDraft(drafts, 0, 2), drafts)
  assert.equal(hasStatusChanges(moveStatusDraft(drafts, 0, 1), statuses), true)
  assert.equal(hasRequiredStatuses(drafts), true)
  assert.equal(hasRequiredStatuses(drafts.slice(1)), false)
  const fresh = { id: 'x', key: undefined, name: ' New ', category: 'started' as const }
  assert.deepEqual(toStatusInputs([{ ...fresh, color: undefined }]), [
    { name: 'New', category: 'started' },
  ])
})

test('keeps what was changed while the statuses were being saved', () => {
  const todo: StatusDraft = {
    id: 'todo',
    key: 'todo',
    name: ' To do ',
    category: 'unstarted',
    color: '#111111',
  }
  const fresh: StatusDraft = {
    id: 'x',
    key: undefined,
    name: 'New',
    category: 'started',
    color: undefined,
  }
  const sent = [todo, fresh]
  const saved: Status[] = [
    { key: 'todo', name: 'To do', category: 'unstarted', color: '#111111', position: 0 },
    { key: 'new', name: 'New', category: 'started', color: '#222222', position: 1 },
  ]
  assert.deepEqual(
    toStatusInputs(keepLaterDrafts(sent, sent, saved)),
    toStatusInputs(toStatusDrafts(saved)),
  )
  const added: StatusDraft = { ...fresh, id: 'y', name: 'Later' }
  const now = keepLaterDrafts([{ ...fresh, name: 'Renamed' }, added], sent, saved)
  assert.deepEqual(now, [{ ...fresh, key: 'new', name: 'Renamed', color: '#222222' }, added])
})
