import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { readerOf } from './read.ts'

const codes = (text: string) =>
  readerOf(Type.String({ minLength: 8, maxLength: 10 }))(text).faults.map(({ code }) => code)

test('lengths are counted in code points, the least as well as the most', () => {
  assert.deepEqual(codes('𝒳'.repeat(7)), ['too_short'])
  assert.deepEqual(codes('𝒳'.repeat(8)), [])
  assert.deepEqual(codes('𝒳'.repeat(10)), [])
  assert.deepEqual(codes('𝒳'.repeat(11)), ['too_long'])
  assert.deepEqual(codes('a'.repeat(7)), ['too_short'])
})
