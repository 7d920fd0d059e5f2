import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TAR_END, tarHeader, tarPadding } from '#archive/format/tar.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportKind } from '#resources/imports/internal.ts'
import { EMPTY_IMPORT_PLAN } from '#resources/imports/load.ts'
import { fitRow, MAX_ROW_COMMENTS, MAX_ROW_LENGTH, toWarning } from '../mapping/fit-row.ts'
import type { ImportFile } from './source.ts'
import { openSourceFile } from './source-kinds.ts'

const TOO_MANY_COMMENTS = toWarning('comments_cut', 'comments', '', MAX_ROW_COMMENTS)
const CONTEXT = { maxRows: 10, timezone: 'UTC', today: '2026-03-01' }

/** The rows of a file of a kind. */
async function readRows(kind: ImportKind, file: ImportFile): Promise<ImportedTask[]> {
  const { rows } = await openSourceFile(file, kind, EMPTY_IMPORT_PLAN, CONTEXT)
  return Array.fromAsync(rows, ({ row }) => row)
}

const createFile = (lines: readonly string[]) => createBinaryFile(Buffer.from(lines.join('\n')))

const createBinaryFile = (content: Buffer): ImportFile => ({
  filename: 'File.csv',
  size: content.length,
  async *bytes(start = 0, end = content.length) {
    yield content.subarray(start, end)
  },
})

test('keeps no more notes of a Todoist task than a task may have', async () => {
  const notes = (count: number, text: string) =>
    Array.from({ length: count }, () => `note,${text},,Ada (1)`)
  const file = createFile([
    'TYPE,CONTENT,INDENT,AUTHOR',
    'task,Too many,1,',
    ...notes(MAX_ROW_COMMENTS + 100, 'Seen'),
    'task,Too long,1,',
    ...notes(80, 'x'.repeat(60_000)),
    'task,Good,1,',
    ...notes(1, 'Done'),
  ])
  const [many, long, good] = await readRows('todoist', file)
  assert.ok(many && long && good)
  assert.equal(many.comments.length, MAX_ROW_COMMENTS + 1)
  assert.deepEqual(fitRow({ row: many, warnings: [] }).warnings, [TOO_MANY_COMMENTS])
  const { length } = JSON.stringify(long)
  assert.ok(length > MAX_ROW_LENGTH && length < MAX_ROW_LENGTH + 100_000, String(length))
  const fitted = fitRow({ row: long, warnings: [] })
  assert.ok(JSON.stringify(fitted.row).length < MAX_ROW_LENGTH)
  assert.deepEqual(fitted.warnings[0]?.code, 'comments_cut')
  assert.deepEqual(
    good.comments.map(({ body }) => body),
    ['Done'],
  )
})

test('reads no more ids of a Jira file than it may have rows', async () => {
  const lines = Array.from({ length: 11 }, (_, at) => `${at},K-${at},Task ${at},`)
  const header = 'Issue id,Issue key,Summary,Parent id'
  const rows = await readRows('jira', createFile([header, ...lines.slice(1)]))
  assert.equal(rows.length, 10)
  await assert.rejects(readRows('jira', createFile([header, ...lines])), {
    message: 'too_many_tasks 10',
  })
})

/** A Trello board with two cards of the same id. */
const createBoard = (members: string) =>
  createFile([`{${members},"cards":[{"id":"1","name":"One"},{"id":"1","name":"Again"}]}`])

test('keeps no more comments of a Trello card than a task may have, once', async () => {
  const comment = (at: number) =>
    `{"type":"commentCard","data":{"text":"${at}","card":{"id":"1"}}},{"type":"commentCard"}`
  const comments = Array.from({ length: MAX_ROW_COMMENTS + 100 }, (_, at) => comment(at))
  const file = createBoard(`"actions":[${comments.join(',')}]`)
  const [many, again] = await readRows('trello', file)
  assert.ok(many && again)
  assert.equal(many.comments.length, MAX_ROW_COMMENTS + 1)
  // The export lists the newest first.
  assert.deepEqual(
    [many.comments.at(0)?.body, many.comments.at(-1)?.body],
    [String(MAX_ROW_COMMENTS), '0'],
  )
  assert.deepEqual(fitRow({ row: many, warnings: [] }).warnings, [TOO_MANY_COMMENTS])
  assert.deepEqual(again.comments, [])
})

test('holds a limited number of entries of a Trello board, however short they are', async () => {
  const entries = (count: number, text: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => text(at)).join(',')
  const read = (members: string) => readRows('trello', createBoard(members))
  const items = (count: number) =>
    `"checklists":[{"idCard":"1","checkItems":[${entries(count, () => '{}')}]}]`
  // The board has two cards.
  await read(items(8))
  await assert.rejects(read(items(9)), { message: 'too_many_tasks 10' })
  const checklists = entries(70_000, (at) => `{"idCard":"${at}"}`)
  const comment = (at: number) => `{"type":"commentCard","data":{"card":{"id":"${at}"}}}`
  const members = `"checklists":[${checklists}],"actions":[${entries(70_000, comment)}]`
  await assert.rejects(read(members), { message: 'too_many_entries' })
})

/** The archive of a workspace with one task and some other lines. */
function createArchive(lines: { [part: string]: string }): ImportFile {
  const parts = ['workspace', 'members', 'projects', 'tags', 'tasks', 'comments'].map((part) => {
    const content = Buffer.from(lines[part] ?? '')
    const header = tarHeader(`${part}.jsonl`, content.length)
    return Buffer.concat([header, content, tarPadding(content.length)])
  })
  return createBinaryFile(Buffer.concat([...parts, TAR_END]))
}

test('keeps no more comments of a task in a Docket archive than a task may have, once', async () => {
  const task = '{"id":"1","title":"One","deleted_at":null}\n'
  const comments = '{"task_id":"1","body":"Seen"}\n{"body":"Of no task"}\n'.repeat(
    MAX_ROW_COMMENTS + 100,
  )
  const file = createArchive({ tasks: task.repeat(2), comments })
  const rows = await readRows('docket', file)
  assert.deepEqual(
    rows.map(({ comments }) => comments.length),
    [MAX_ROW_COMMENTS + 1, 0],
  )
})

test('keeps no more comments of a GitHub issue than a task may have', async () => {
  const file = createFile([
    JSON.stringify([{ comments: Array.from({ length: MAX_ROW_COMMENTS + 100 }, () => ({})) }]),
  ])
  const rows = await readRows('github', file)
  assert.deepEqual(
    rows.map(({ comments }) => comments.length),
    [MAX_ROW_COMMENTS + 1],
  )
})

test('holds a limited number of lines of a Docket archive, however short they are', async () => {
  const task = '{"id":"1","title":"One","deleted_at":null}\n'
  const read = (lines: { [part: string]: string }) =>
    readRows('docket', createArchive({ tasks: task, ...lines }))
  const limits = { projects: 10_000, comments: 200_000 }
  assert.equal((await read({ projects: '{}\n'.repeat(limits.projects) })).length, 1)
  for (const [part, limit] of Object.entries(limits)) {
    const why = { message: `archive_too_large ${part}.jsonl` }
    await assert.rejects(read({ [part]: '{}\n'.repeat(limit + 1) }), why)
  }
})
