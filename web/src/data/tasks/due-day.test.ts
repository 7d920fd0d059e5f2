import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setViewer } from '../../lib/locale/viewer.ts'
import { getDueDay, toDuePatch } from './due-day.ts'

setViewer({ zone: 'America/Los_Angeles' })
const WORKSPACE_ZONE = 'Europe/Zurich'

test('a due time is on its day in the viewer’s time zone, a due date the same for everyone', () => {
  assert.equal(getDueDay({ due_date: '2026-02-12', due_at: null }), '2026-02-12')
  const evening = { due_date: '2026-02-12', due_at: '2026-02-12T05:30:00.000Z' }
  assert.equal(getDueDay(evening), '2026-02-11')
})

test('a picked due time is sent with its day in the workspace’s time zone', () => {
  const at = '2026-02-12T05:30:00.000Z'
  assert.deepEqual(toDuePatch({ date: '2026-02-11', at }, WORKSPACE_ZONE), {
    due_date: '2026-02-12',
    due_at: at,
  })
  assert.deepEqual(toDuePatch({ date: '2026-02-11', at: null }, WORKSPACE_ZONE), {
    due_date: '2026-02-11',
    due_at: null,
  })
})
