import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import { EMPTY_IMPORT_PLAN } from '#resources/imports/plan.ts'
import { MAX_ROW_LENGTH, validateRow } from '../mapping/validate-row.ts'
import { readJira } from './jira.ts'
import type { ImportFile } from './source-reader.ts'
import { readTodoist } from './todoist.ts'

const createFile = (lines: readonly string[]): ImportFile => {
  const content = Buffer.from(lines.join('\n'))
  return {
    ...{ filename: 'File.csv', size: content.length },
    async *bytes(start = 0, end = content.length) {
      yield content.subarray(start, end)
    },
  }
}

test('keeps no more notes of a Todoist task than reject it', async () => {
  const notes = (count: number, text: string) =>
    Array.from({ length: count }, () => `note,${text},,Ada (1)`)
  const file = createFile([
    'TYPE,CONTENT,INDENT,AUTHOR',
    ...['task,Too many,1,', ...notes(2_000, 'Seen')],
    ...['task,Too long,1,', ...notes(200, 'x'.repeat(60_000))],
    ...['task,Good,1,', ...notes(1, 'Done')],
  ])
  const rows: ImportedTask[] = []
  for await (const { row } of (await readTodoist(file, EMPTY_IMPORT_PLAN, 10)).rows) rows.push(row)
  const [many, long, good] = rows
  assert.ok(many && long && good)
  assert.equal(many.comments.length, 1_001)
  assert.deepEqual(validateRow(many), ['The row has more than 1000 comments.'])
  const { length } = JSON.stringify(long)
  assert.ok(length > MAX_ROW_LENGTH && length < MAX_ROW_LENGTH + 100_000, String(length))
  assert.deepEqual(
    good.comments.map(({ body }) => body),
    ['Done'],
  )
})

test('reads no more ids of a Jira file than it may have rows', async () => {
  const lines = Array.from({ length: 11 }, (_, at) => `${at},K-${at},Task ${at},`)
  const header = 'Issue id,Issue key,Summary,Parent id'
  await readJira(createFile([header, ...lines.slice(1)]), EMPTY_IMPORT_PLAN, 10)
  await assert.rejects(
    readJira(createFile([header, ...lines]), EMPTY_IMPORT_PLAN, 10),
    /^Error: The file has more than 10 tasks/,
  )
})
