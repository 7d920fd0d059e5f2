import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { NewTask } from '#resources/tasks/contract.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { fitRow, MAX_ROW_LENGTH, toWarning } from './fit-row.ts'

const fit = (fields: Partial<ImportedTask>) =>
  fitRow({ row: { ...emptyImportedTask(2), title: 'One', ...fields }, warnings: [] })

const many = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`)
const comments = (count: number, body = 'Seen') =>
  many(count).map(() => ({ author: null, at: null, body }))

test('takes values up to each limit, and keeps what is beyond it in the description', () => {
  const limits: [Partial<ImportedTask>, Partial<ImportedTask>, note: RegExp][] = [
    [{ tags: many(50) }, { tags: many(52) }, /^Tags: n50, n51$/],
    [{ tags: ['x'.repeat(50)] }, { tags: ['x'.repeat(51)] }, /^Tags: x{51}$/],
    [{ blocked_by: many(50) }, { blocked_by: many(51) }, /^Blocked by: n50$/],
    [{ estimate_seconds: 31_536_000 }, { estimate_seconds: 31_536_001 }, /^Estimate: 31536001 s$/],
    [{ estimate_seconds: 0 }, { estimate_seconds: -1 }, /^Estimate: -1 s$/],
    [{ due_date: '9999-12-31' }, { due_date: '2026-02-30' }, /^Due date: 2026-02-30$/],
    [{ start_date: '1970-01-01' }, { start_date: 'next week' }, /^Start date: next week$/],
    [{ status: 'x'.repeat(500) }, { status: 'x'.repeat(501) }, /^Status: x{501}$/],
    [{ assignees: ['x'.repeat(500)] }, { assignees: ['x'.repeat(501)] }, /^Assigned to: x{501}$/],
  ]
  for (const [largest, tooLarge, note] of limits) {
    const fitted = fit(largest)
    assert.deepEqual([fitted.warnings, fitted.row.notes], [[], undefined])
    assert.deepEqual(fitted.row, { ...fitted.row, ...largest })
    const { row, warnings, isEmpty } = fit(tooLarge)
    assert.deepEqual([isEmpty, warnings.length, row.notes?.length], [false, 1, 1])
    assert.match(row.notes?.[0] ?? '', note)
  }
})

test('keeps every note, and the lines of one that has several', () => {
  const criteria = `Acceptance criteria: one\n\n- two\n${'word '.repeat(3_000)}end`
  const { row, warnings } = fit({ description: 'Text', notes: [criteria, ...many(150)] })
  assert.deepEqual(warnings, [])
  assert.deepEqual(row.notes, many(99))
  const more = many(150).slice(99)
  assert.equal(row.description, ['Text', criteria, ...more].join('\n\n'))
  const { notes, description } = fit({ notes: ['a\nb'] }).row
  assert.deepEqual([notes, description], [undefined, 'a\nb'])
})

test('cuts ids that are too long in the same way wherever a row names them', () => {
  const [long, other] = [`${'x'.repeat(300)}a`, `${'x'.repeat(300)}b`]
  const { row } = fit({ key: long, parent: long, blocked_by: [long, other] })
  assert.equal(row.key?.length, 255)
  assert.equal(row.parent, row.key)
  assert.equal(row.blocked_by[0], row.key)
  assert.notEqual(row.blocked_by[1], row.key)
})

test('splits comments that are too long, and keeps the first of too many with a warning', () => {
  const long = fit({ comments: comments(1, `${'word '.repeat(20_000)}end`) }).row.comments
  assert.equal(long.length, 2)
  assert.equal(long.map(({ body }) => body).join(' '), `${'word '.repeat(20_000)}end`)
  const cut = fit({ comments: many(2_000).map((body) => ({ author: null, at: null, body })) })
  assert.deepEqual(
    [cut.row.comments.length, cut.row.comments.at(-1)?.body, cut.warnings],
    [900, 'n899', [toWarning('comments_cut', 'comments', '', 900)]],
  )
  assert.deepEqual(fit({ comments: comments(1, ' \n ') }).row.comments, [])
})

test('fits whatever a reader finds to the rules of the API', () => {
  const parse = createSchemaParser(NewTask)
  const texts = [
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    'a\vb\u2028c',
    '\ud800',
    'x'.repeat(70_000),
    '🙂'.repeat(40_000),
  ]
  for (const text of texts) {
    const { row, isEmpty } = fit({
      title: text,
      description: text,
      key: text,
      parent: text,
      status: text,
      project: text,
      assignees: [text],
      tags: [text],
      blocked_by: [text],
      start_date: text,
      due_date: text,
      due_at: text,
      comments: [{ author: text, at: text, body: text }],
      notes: [text],
    })
    const { title, description, key, start_date, due_date } = row
    if (isEmpty) continue
    const { errors } = parse({
      project_id: `prj_${'0'.repeat(26)}`,
      title,
      start_date,
      due_date,
      ...(key !== null && { external_id: key, external_source: 'file' }),
    })
    assert.deepEqual(errors, [], text.slice(0, 5))
    const lines = [row.status, row.project, row.parent, ...row.tags, ...row.assignees]
    for (const line of lines) assert.doesNotMatch(line ?? '', /[\p{Cc}\p{Cs}\u2028\u2029]/u)
    for (const { body } of row.comments) assert.doesNotMatch(body, /(?![\t\n\r])\p{Cc}|\p{Cs}/u)
    assert.doesNotMatch(description ?? '', /(?![\t\n\r])\p{Cc}|\p{Cs}/u)
  }
})

test('refuses only a row that has nothing to do', () => {
  const empty = { title: ' \u0000', status: 'To do', key: '7', priority_name: 'High', project: 'P' }
  assert.equal(fit(empty).isEmpty, true)
  const contents: [Partial<ImportedTask>, title: string][] = [
    [{ description: '\nCall Ada\nabout it' }, 'Call Ada'],
    [{ due_date: '2026-03-31' }, 'Untitled'],
    [{ tags: ['home'] }, 'Untitled'],
    [{ assignees: ['Ada'] }, 'Untitled'],
    [{ comments: comments(1) }, 'Untitled'],
    [{ notes: ['Attachment: plan.pdf'] }, 'Untitled'],
  ]
  for (const [fields, title] of contents) {
    const { row, isEmpty, warnings } = fit({ ...empty, ...fields })
    assert.deepEqual(
      [isEmpty, row.title, warnings],
      [false, title, [toWarning('title_empty', 'title')]],
    )
  }
})

test('bounds a row, however large its values are', () => {
  const huge = 'x'.repeat(3_000_000)
  const { row, warnings } = fit({ title: huge, description: huge, comments: comments(90, huge) })
  assert.ok(JSON.stringify(row).length <= MAX_ROW_LENGTH)
  assert.equal(row.title, 'x'.repeat(500))
  assert.deepEqual(
    warnings.map(({ field }) => field),
    ['comments', 'title', 'description'],
  )
})
