import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notification } from '#resources/notifications/internal.ts'
import { groupNotifications } from './notification-groups.ts'

const notificationOf = (id: string, task: string | null, read_at: string | null = null) =>
  ({ id, task: task && { id: task }, webhook: null, read_at }) as Notification

test('groups notifications by task, ordered by the newest of each task', () => {
  const groups = groupNotifications([
    notificationOf('4', 'a'),
    notificationOf('3', 'b', 'then'),
    notificationOf('2', 'a', 'then'),
  ])
  assert.deepEqual(
    groups.map(({ subjectId, isUnread, notifications }) => [
      subjectId,
      isUnread,
      notifications.map(({ id }) => id),
    ]),
    [
      ['a', true, ['4', '2']],
      ['b', false, ['3']],
    ],
  )
})
