import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getSavedViewLink } from './saved-view-search.ts'
import type { SavedView } from './saved-views.ts'

const VIEW: SavedView = {
  id: 'viw_1',
  project_id: null,
  name: 'View',
  view: 'list',
  f: '',
  sort: 'position',
  group: 'status',
  lanes: 'none',
  is_shared: false,
  created_by_id: 'usr_1',
  created_at: '2026-11-20T12:00:00.000Z',
  updated_at: '2026-11-20T12:00:00.000Z',
}
const PROJECTS = [{ id: 'prj_1', prefix: 'ENG' }]
const linkOf = (view: Partial<SavedView>) =>
  getSavedViewLink({ ...VIEW, ...view }, 'wsp_1', PROJECTS)

test('a saved view opens on its page, with what differs from the default of that page', () => {
  const saved = 'viw_1'
  const ofProject = { project_id: 'prj_1' }
  assert.deepEqual(linkOf({ ...ofProject, f: 'tag:bug', group: 'due' }), {
    to: '/w/$workspaceId/p/$prefix',
    params: { workspaceId: 'wsp_1', prefix: 'ENG' },
    search: { saved, f: 'tag:bug', group: 'due' },
  })
  assert.deepEqual(linkOf({ ...ofProject, sort: '-priority' })?.search, {
    saved,
    sort: '-priority',
  })
  assert.deepEqual(linkOf({ view: 'board', lanes: 'assignee' }), {
    to: '/w/$workspaceId/all',
    params: { workspaceId: 'wsp_1' },
    search: { saved, view: 'board', sort: 'position', lanes: 'assignee' },
  })
  assert.deepEqual(linkOf({ sort: '-priority' })?.search, { saved })
  assert.equal(linkOf({ project_id: 'prj_hidden' }), undefined)
})
