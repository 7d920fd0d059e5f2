import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Mutation, rebaseOnAbandoned } from './mutations.ts'

const setStatus = (before: string, after: string): Mutation => ({
  kind: 'update',
  key: `${before} to ${after}`,
  id: 'a',
  patch: { status: after },
  before: { status: before },
})

test('rebases only the mutation that started from the value of an abandoned one', () => {
  const abandoned = setStatus('todo', 'doing')
  const fields = new Set(['status'])
  const later = [
    setStatus('doing', 'done'),
    setStatus('done', 'doing'),
    // It started from the same value, but from a later change to it.
    setStatus('doing', 'todo'),
  ]
  const rebased = later.map((one) => rebaseOnAbandoned(one, abandoned, fields))
  assert.deepEqual(
    rebased.map((one) => one.kind === 'update' && one.before.status),
    ['todo', 'done', 'doing'],
  )
})
