import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNearestPath } from './nearest-name.ts'

const PATHS = [
  '/api/v1/me',
  '/api/v1/projects',
  '/api/v1/projects/:id/tasks',
  '/api/v1/tasks/:id',
  '/api/v1/tasks/:id/time-entries',
  '/api/v1/workspace/members',
  '/api/v1/events',
]

test('finds the path that was meant, with the id that was sent', () => {
  const task = `tsk_${'0'.repeat(26)}`
  const meant: Record<string, string | undefined> = {
    '/api/v1/members': '/api/v1/workspace/members',
    '/api/v1/workspaces/members': '/api/v1/workspace/members',
    '/api/v1/project': '/api/v1/projects',
    '/api/projects': '/api/v1/projects',
    '/api/v1/task/ENG-1': '/api/v1/tasks/ENG-1',
    [`/api/v1/tasks/${task}/time_entries`]: `/api/v1/tasks/${task}/time-entries`,
    '/api/v1/users': undefined,
    '/api/v1/foo/bar/baz': undefined,
  }
  assert.equal(findNearestPath(`/api/v1/${'a/'.repeat(4_000)}`, PATHS), undefined)
  const found = Object.fromEntries(
    Object.keys(meant).map((path) => [path, findNearestPath(path, PATHS)]),
  )
  assert.deepEqual(found, meant)
})
