import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { compareTasks } from './task-groups.ts'

test('titles are sorted as the server sorts them', () => {
  const titles = ['apple', 'Bear', 'bee', 'Zebra', 'Äpfel', 'äpfel']
  const tasks = titles.map((title) => createTaskRecord({ title }))
  const sorted = tasks.toReversed().toSorted((a, b) => compareTasks('title', false, a, b))
  assert.deepEqual(
    sorted.map(({ title }) => title),
    titles,
  )
})
