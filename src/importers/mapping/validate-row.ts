import { codePointLength } from '#lib/fold-case.ts'
import { MAX_COMMENT_LENGTH } from '#resources/comments/contract.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import { NewTask } from '#resources/tasks/bodies.ts'
import { MAX_BLOCKERS, MAX_EXTERNAL_ID_LENGTH, MAX_TASK_TAGS } from '#resources/tasks/fields.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'

const readNewTask = createSchemaParser(NewTask)
/** Any well-formed id: the schema requires one, and the row has none yet. */
const PLACEHOLDER_PROJECT_ID = `prj_${'0'.repeat(26)}`
const MAX_TAG_LENGTH = 50
export const MAX_ROW_COMMENTS = 1_000
/** Further comments would only take time and memory: a row is rejected for those that it has. */
export const firstComments = <T>(comments: readonly T[]): T[] =>
  comments.slice(0, MAX_ROW_COMMENTS + 1)
/** In characters: the JSON of a row with its comments. */
export const MAX_ROW_LENGTH = 4_194_304
/**
 * The characters that a `Line` of the API forbids. Keys are searched for and shown, so they count
 * too.
 */
export const FORBIDDEN_IN_NAME = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const FORBIDDEN_IN_TEXT = /(?![\t\n\r])\p{Cc}|\p{Cs}/u

/** Whether no valid row can have the key. */
export const isTooLongForKey = (key: string): boolean =>
  codePointLength(key) > MAX_EXTERNAL_ID_LENGTH

/**
 * Checks a row by the rules of the API before anything is made. Returns its faults as sentences.
 */
export function validateRow(row: ImportedTask): string[] {
  const { title, description, priority, start_date, due_date, estimate_seconds } = row
  const { errors } = readNewTask({
    ...{ project_id: PLACEHOLDER_PROJECT_ID, title, description, priority },
    ...{ start_date, due_date, estimate_seconds },
    ...(row.key !== null && { external_id: row.key, external_source: 'file' }),
  })
  const complaints = errors.map(({ message }) =>
    message.replaceAll('`', '').replace(/^external_id/, 'id'),
  )
  const addIf = (isWrong: boolean, complaint: string) => {
    if (isWrong) complaints.push(complaint)
  }
  const names = [
    row.project,
    row.status,
    row.parent,
    ...row.tags,
    ...row.assignees,
    ...row.blocked_by,
  ]
  // Who wrote a comment, and when, becomes a part of its text.
  const origins = row.comments.flatMap(({ author, at }) => [author, at])
  addIf(
    [...names, ...origins].some((name) => FORBIDDEN_IN_NAME.test(name ?? '')),
    'A name contains characters that are not allowed.',
  )
  addIf(row.tags.length > MAX_TASK_TAGS, `The row has more than ${MAX_TASK_TAGS} tags.`)
  addIf(
    row.tags.some((tag) => tag.length > MAX_TAG_LENGTH),
    `A tag must be at most ${MAX_TAG_LENGTH} characters.`,
  )
  addIf(
    row.blocked_by.length > MAX_BLOCKERS,
    `The row is blocked by more than ${MAX_BLOCKERS} tasks.`,
  )
  // No row has a longer id, and references are held in memory until the file has been read.
  addIf(
    [row.parent ?? '', ...row.blocked_by].some(isTooLongForKey),
    `The id of a parent or blocker must be at most ${MAX_EXTERNAL_ID_LENGTH} characters.`,
  )
  addIf(
    row.comments.length > MAX_ROW_COMMENTS,
    `The row has more than ${MAX_ROW_COMMENTS} comments.`,
  )
  for (const { body } of row.comments) {
    addIf(
      body.length > MAX_COMMENT_LENGTH,
      `A comment must be at most ${MAX_COMMENT_LENGTH} characters.`,
    )
    addIf(FORBIDDEN_IN_TEXT.test(body), 'A comment contains characters that are not allowed.')
  }
  return [...new Set(complaints)]
}
