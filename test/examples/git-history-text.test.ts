import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createComment } from '#resources/comments/contract.ts'
import { NewTask } from '#resources/tasks/contract.ts'
import { readerOf } from '#wire/read.ts'
import type { Commit } from '../../examples/git-history/git.ts'
import { labelsOf } from '../../examples/git-history/labels.ts'
import { remarksOf, taskOf } from '../../examples/git-history/task.ts'
import { line, lines } from '../../examples/git-history/text.ts'

const readTask = readerOf(NewTask)
const readComment = readerOf(createComment.body)
const place = {
  project_id: 'prj_01k2m3n4p5q6r7s8t9v0w1x2y0',
  status: 'done',
  assignee_ids: [],
  tag_ids: [],
}

/** What git can print: every character but NUL, those with a meaning more often. */
const Character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  fc.constantFrom(
    '\t',
    '\n',
    '\r',
    '\v',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    ' ',
    '😀',
  ),
)
const Printed = fc
  .tuple(fc.array(Character), fc.constantFrom(0, 1, 40, 499, 500, 501, 65_536, 70_000))
  .map(([parts, times]) => `${parts.join('').replaceAll('\0', '')}${'é😀'.repeat(times)}`)
const Day = fc.constantFrom('2024-02-29', '2024-03-01', '1969-12-31', '1970-01-01', '')
const Who = fc.record({ name: Printed, email: Printed, day: Day, time: Printed })
const AnyCommit: fc.Arbitrary<Commit> = fc.record({
  hash: fc.constant('6ddd35ba0990d5480e3b39d1ffe9abf0aa0f26d4'),
  parents: fc.array(fc.constant('d42c0276a29e0b8dec29c159ce8bd07795dba2da'), { maxLength: 60 }),
  author: Who,
  committer: Who,
  subject: Printed,
  body: Printed,
  trailers: fc.array(Printed, { maxLength: 3 }),
  note: Printed,
  paths: fc.array(Printed),
})

test('whatever a commit holds, its task and comments are what Docket takes', () => {
  fc.assert(
    fc.property(AnyCommit, (commit) => {
      const task = taskOf(commit, place)
      assert.deepEqual(readTask(task).faults, [])
      assert.ok((task.start_date ?? '') <= (task.due_date ?? '9'))
      for (const body of remarksOf(commit)) assert.deepEqual(readComment({ body }).faults, [])
      for (const name of labelsOf(commit)) assert.equal(line(name, 50), name)
    }),
    { numRuns: 300 },
  )
})

test('a text is cut by code points, and only where it must be', () => {
  assert.equal(line('😀'.repeat(500), 500), '😀'.repeat(500))
  assert.equal(line('😀'.repeat(501), 500), `${'😀'.repeat(499)}…`)
  assert.equal(lines('😀'.repeat(100), 100), '😀'.repeat(100))
  assert.match(lines('😀'.repeat(101), 100), /^(😀)+\n\n… \(the rest is in the commit\)$/u)
  assert.equal([...lines('😀'.repeat(101), 100)].length, 100)
  assert.equal(lines(' kept\t\r\n', 100), ' kept\t\r\n')
})
