import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { validateRow } from './validate-row.ts'

const row = (fields: Partial<ImportedTask>): ImportedTask => ({
  ...emptyImportedTask(2),
  ...{ title: 'One', ...fields },
})

const many = (count: number) => Array.from({ length: count }, (_, at) => `${at}`)
const comments = (count: number, body = 'Seen') =>
  many(count).map(() => ({ author: null, at: null, body }))

test('a row may reach each limit, and is told which one it exceeds', () => {
  const limits: [largest: Partial<ImportedTask>, tooLarge: Partial<ImportedTask>, why: string][] = [
    [{ tags: many(50) }, { tags: many(51) }, 'The row has more than 50 tags.'],
    [
      { tags: ['x'.repeat(50)] },
      { tags: ['x'.repeat(51)] },
      'A tag must be at most 50 characters.',
    ],
    [
      { blocked_by: many(50) },
      { blocked_by: many(51) },
      'The row is blocked by more than 50 tasks.',
    ],
    [
      { parent: '😀'.repeat(255), blocked_by: ['x'.repeat(255)] },
      { blocked_by: ['x'.repeat(256)] },
      'The id of a parent or blocker must be at most 255 characters.',
    ],
    [
      { comments: comments(1_000) },
      { comments: comments(1_001) },
      'The row has more than 1000 comments.',
    ],
    [
      { comments: comments(1, 'x'.repeat(65_536)) },
      { comments: comments(1, 'x'.repeat(65_537)) },
      'A comment must be at most 65536 characters.',
    ],
  ]
  for (const [largest, tooLarge, why] of limits) {
    assert.deepEqual(validateRow(row(largest)), [])
    assert.deepEqual(validateRow(row(tooLarge)), [why])
  }
})

test('names with line breaks and comments with control characters are refused', () => {
  const name = 'A name contains characters that are not allowed.'
  const [comment] = comments(1)
  assert.ok(comment)
  const invalid = [
    ...[{ tags: ['a\nb'] }, { assignees: ['a\u2028b'] }, { status: 'a\u0000' }],
    ...[{ blocked_by: ['a\u0000'] }, { comments: [{ ...comment, author: 'a\u0000' }] }],
    { comments: [{ ...comment, at: '2026-01-01\u0000' }] },
  ]
  for (const fields of invalid) assert.deepEqual(validateRow(row(fields)), [name])
  assert.deepEqual(validateRow(row({ comments: comments(1, 'a\tb\nc') })), [])
  assert.deepEqual(validateRow(row({ comments: comments(1, 'a\u0007') })), [
    'A comment contains characters that are not allowed.',
  ])
})
