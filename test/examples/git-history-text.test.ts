import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createComment } from '#resources/comments/contract.ts'
import { NewTask } from '#resources/tasks/contract.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import type { Commit } from '../../examples/git-history/git.ts'
import { createTagNames } from '../../examples/git-history/labels.ts'
import { createCommentBodies, createTaskFromCommit } from '../../examples/git-history/task.ts'
import { toMultilineText, toSingleLine } from '../../examples/git-history/text.ts'
import { anyCodePoint } from '../support/data/code-points.ts'

const readTask = createSchemaParser(NewTask)
const readComment = createSchemaParser(createComment.body)
const target = {
  project_id: 'prj_01k2m3n4p5q6r7s8t9v0w1x2y0',
  status: 'done',
  assignee_ids: [],
  tag_ids: [],
}

/** Everything that git can print: any character but NUL, special ones more often. */
const Character = fc.oneof(
  fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 3 }),
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
const GitText = fc
  .tuple(fc.array(Character), fc.constantFrom(0, 1, 40, 499, 500, 501, 65_536, 70_000))
  .map(([parts, times]) => `${parts.join('').replaceAll('\0', '')}${'é😀'.repeat(times)}`)
const Day = fc.constantFrom('2024-02-29', '2024-03-01', '1969-12-31', '1970-01-01', '')
const CommitPerson = fc.record({ name: GitText, email: GitText, day: Day, time: GitText })
const AnyCommit: fc.Arbitrary<Commit> = fc.record({
  hash: fc.constant('6ddd35ba0990d5480e3b39d1ffe9abf0aa0f26d4'),
  parents: fc.array(fc.constant('d42c0276a29e0b8dec29c159ce8bd07795dba2da'), { maxLength: 60 }),
  author: CommitPerson,
  committer: CommitPerson,
  subject: GitText,
  body: GitText,
  trailers: fc.array(GitText, { maxLength: 3 }),
  note: GitText,
  paths: fc.array(GitText),
})

test('any commit becomes a valid task with valid comments (property test)', () => {
  fc.assert(
    fc.property(AnyCommit, (commit) => {
      const task = createTaskFromCommit(commit, target)
      assert.deepEqual(readTask(task).errors, [])
      assert.ok((task.start_date ?? '') <= (task.due_date ?? '9'))
      for (const body of createCommentBodies(commit))
        assert.deepEqual(readComment({ body }).errors, [])
      for (const name of createTagNames(commit)) assert.equal(toSingleLine(name, 50), name)
    }),
    { numRuns: 300 },
  )
})

test('truncates texts by code points, and only above the limit', () => {
  assert.equal(toSingleLine('😀'.repeat(500), 500), '😀'.repeat(500))
  assert.equal(toSingleLine('😀'.repeat(501), 500), `${'😀'.repeat(499)}…`)
  assert.equal(toMultilineText('😀'.repeat(100), 100), '😀'.repeat(100))
  assert.match(
    toMultilineText('😀'.repeat(101), 100),
    /^(😀)+\n\n… \(the rest is in the commit\)$/u,
  )
  assert.equal([...toMultilineText('😀'.repeat(101), 100)].length, 100)
  assert.equal(toMultilineText(' kept\t\r\n', 100), ' kept\t\r\n')
})
