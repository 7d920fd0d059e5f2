import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notification } from '#resources/notifications/internal.ts'
import {
  applyMarks,
  countUnread,
  patchNotification,
  planRestoration,
} from './notification-marks.ts'

const LATER = '2999-01-01T08:00:00.000Z'

const notification = (id: string, fields: Partial<Notification> = {}): Notification => ({
  id,
  kind: 'assigned',
  detail: null,
  actor: null,
  task: null,
  comment: null,
  webhook: null,
  approval: null,
  read_at: null,
  done_at: null,
  snoozed_until: null,
  created_at: `2026-01-0${id}T00:00:00.000Z`,
  ...fields,
})

const toKnown = (...all: readonly Notification[]) => new Map(all.map((one) => [one.id, one]))

const idsOf = (notifications: readonly Notification[]) => notifications.map(({ id }) => id)

test('moves a marked notification between the tabs before the server has answered', () => {
  const open = [notification('3'), notification('2', { kind: 'mentioned' }), notification('1')]
  const known = toKnown(...open)
  const done = [{ ids: ['2'], done: true }]
  assert.deepEqual(idsOf(applyMarks(open, known, done, 'all')), ['3', '1'])
  assert.deepEqual(idsOf(applyMarks([], known, done, 'done')), ['2'])
  const snoozed = [{ ids: ['3'], snoozed_until: LATER }]
  assert.deepEqual(idsOf(applyMarks(open, known, snoozed, 'all')), ['2', '1'])
  assert.deepEqual(idsOf(applyMarks([], known, snoozed, 'snoozed')), ['3'])
  assert.deepEqual(idsOf(applyMarks([], known, snoozed, 'mentioned')), [])
  assert.deepEqual(idsOf(applyMarks(open, known, [{ done: true }], 'all')), [], 'all of them')
})

test('an undone mark brings the notification back in its place, read or unread as before', () => {
  const open = [notification('3'), notification('1')]
  const marks = [
    { ids: ['2'], done: true },
    { ids: ['2'], done: false, snoozed_until: null, read: false },
  ]
  const shown = applyMarks(open, toKnown(notification('2')), marks, 'all')
  assert.deepEqual(idsOf(shown), ['3', '2', '1'])
  assert.equal(countUnread(shown), 3)
})

test('counts the unread rows of the inbox', () => {
  const task = { id: 'tsk_1', short_id: 'ENG-1' } as Notification['task']
  const all = [
    notification('1'),
    notification('5', { task }),
    notification('6', { task }),
    notification('2', { read_at: LATER }),
    notification('3', { done_at: LATER }),
    notification('4', { snoozed_until: LATER }),
  ]
  assert.equal(countUnread(all), 2)
})

test('an undo gives each notification its former state back', () => {
  const before = [
    notification('1'),
    notification('2', { read_at: LATER }),
    notification('3', { snoozed_until: LATER }),
    notification('4', { snoozed_until: LATER, read_at: LATER }),
    notification('5', { snoozed_until: '2026-01-01T08:00:00.000Z' }),
    notification('6'),
  ]
  const plan = planRestoration(before)
  assert.deepEqual(
    plan.map(({ notifications }) => idsOf(notifications)),
    [['1', '5', '6'], ['2'], ['3'], ['4']],
  )
  for (const { notifications, patches } of plan) {
    for (const one of notifications) {
      const marked = patchNotification(one, { done: true })
      const restored = patches.reduce(patchNotification, marked)
      assert.equal(restored.done_at, null)
      assert.equal(restored.read_at !== null, one.read_at !== null, `read ${one.id}`)
      const snoozed_until = one.snoozed_until === LATER ? LATER : null
      assert.equal(restored.snoozed_until, snoozed_until)
    }
  }
})
