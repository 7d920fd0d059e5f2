import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readerOf } from './read.ts'
import { Fields, Optional, Text } from './schema.ts'

const read = readerOf(Fields({ title: Optional(Text(0, 10)) }))

test('faults are told together, but not without end', () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, 1]))
  assert.equal(read({ ...unknown(3), title: 'x'.repeat(11) }).faults.length, 4)
  assert.equal(read(unknown(100_000)).faults.length, 100)
})

test('a field is told by no more of its name than a person would read', () => {
  const [one] = read({ ['x'.repeat(1_000)]: 1 }).faults
  assert.equal(one?.field.length, 80)
})
