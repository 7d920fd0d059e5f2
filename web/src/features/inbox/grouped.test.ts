import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notification } from '#resources/notifications/internal.ts'
import { grouped } from './grouped.ts'

const told = (id: string, task: string | null, read_at: string | null = null) =>
  ({ id, task: task && { id: task }, webhook: null, read_at }) as Notification

test('what is told of a task stands together, where the newest of it is', () => {
  const groups = grouped([told('4', 'a'), told('3', 'b', 'then'), told('2', 'a', 'then')])
  assert.deepEqual(
    groups.map(({ about, unread, all }) => [about, unread, all.map(({ id }) => id)]),
    [
      ['a', true, ['4', '2']],
      ['b', false, ['3']],
    ],
  )
})
