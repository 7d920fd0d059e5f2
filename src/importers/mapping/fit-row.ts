import { createHash } from 'node:crypto'
import { isDay, normalizeTimestamp } from '#lib/days.ts'
import { fitTitle } from '#lib/fit-title.ts'
import { codePointLength } from '#lib/fold-case.ts'
import { toOneLine } from '#lib/one-line.ts'
import { MAX_COMMENT_LENGTH } from '#resources/comments/contract.ts'
import type {
  ImportedComment,
  ImportedDay,
  ImportedTask,
} from '#resources/imports/imported-task.ts'
import type { ImportWarning, LossCode } from '#resources/imports/internal.ts'
import { MAX_TASK_TAGS } from '#resources/tags/contract.ts'
import {
  MAX_BLOCKERS,
  MAX_ESTIMATE_SECONDS,
  MAX_EXTERNAL_ID_LENGTH,
} from '#resources/tasks/fields.ts'
import type { ParsedRow } from '../sources/source.ts'
import { isNoValue, parseImportedDay } from './parse-values.ts'

const MAX_TAG_LENGTH = 50
/** A longer name of a project, status, priority or person cannot be chosen in the plan. */
export const MAX_NAME_LENGTH = 500
/** Comments that a task gets: fewer than it may have, because a long one becomes several. */
export const MAX_ROW_COMMENTS = 900
/** With one more, by which the row is known to have lost some. */
export const firstComments = <T>(comments: readonly T[]): T[] =>
  comments.slice(0, MAX_ROW_COMMENTS + 1)
/** What a comment may be long beside the line that says who wrote it, and when. */
export const MAX_COMMENT_BODY_LENGTH = MAX_COMMENT_LENGTH - 2 * MAX_NAME_LENGTH
/** In characters: the JSON of a row with its comments. */
export const MAX_ROW_LENGTH = 4_194_304
/** In characters: the texts of a row beside its comments. */
const MAX_TEXT_LENGTH = 1_048_576
const MAX_NOTES = 100
const MAX_NOTE_LENGTH = 10_000
const MAX_QUOTE_LENGTH = 80

/** A row that the API accepts, or one that has nothing of which a task could be made. */
export interface FittedRow extends ParsedRow {
  isEmpty: boolean
}

/**
 * Makes a row fit for the API: the task comes in, whatever one of its values is. A value that cannot
 * be taken over becomes a warning and a line of the description. Only a row with neither a title nor
 * anything else to do is empty.
 */
export function fitRow({ row, warnings: found }: ParsedRow): FittedRow {
  const warnings = [...found]
  const { notes: given = [], ...fields } = row
  const isNote = (note: string, at: number) =>
    at < MAX_NOTES && note.length <= MAX_NOTE_LENGTH && !/[\n\r]/.test(note.trim())
  const notes = given.filter(isNote).map(toOneLine)
  const paragraphs = given.filter((note, at) => !isNote(note, at))
  const lose = createLossNoter(notes, warnings)
  const loss: LossNoter = (field, text, code, max) =>
    lose(field, toOneLine(cut(text, MAX_NOTE_LENGTH)), code, max)
  const names = fitNames(row, loss)
  const dates = fitDates(row, loss)
  const comments = fitComments(row.comments, warnings)
  const { title, description } = fitTexts(row, paragraphs, warnings)
  const hasContent = [description, dates.start_date, dates.due_date, row.estimate_seconds].some(
    (value) => value !== null,
  )
  const lists = [names.assignees, names.tags, names.blocked_by, comments, notes]
  const isEmpty = title === '' && !hasContent && lists.every((list) => list.length === 0)
  if (title === '' && !isEmpty) warnings.push(toWarning('title_empty', 'title'))
  return {
    row: {
      ...fields,
      ...names,
      ...dates,
      comments,
      description,
      title: title === '' && !isEmpty ? titleFrom(description) : title,
      estimate_seconds: fitEstimate(row.estimate_seconds, loss),
      ...(notes.length > 0 && { notes }),
    },
    warnings,
    isEmpty,
  }
}

/** Keeps a value that no field can hold as a line of the description, and warns if there is a reason. */
export type LossNoter = (field: string, text: string, code?: LossCode, max?: number) => void

export const createLossNoter =
  (notes: string[], warnings: ImportWarning[]): LossNoter =>
  (field, text, code, max) => {
    notes.push(`${NOTE_LABELS.get(field) ?? field}: ${text}`)
    if (code !== undefined) warnings.push(toWarning(code, field, text, max))
  }

const NO_TITLE = 'Untitled'

/** The first line of the description, for a task without a title. */
const titleFrom = (description: string | null): string =>
  fitTitle((description ?? '').trim().split('\n', 1)[0] ?? '').title || NO_TITLE

/**
 * The title, and the description with the whole of a title that is too long on top, and with notes
 * that are texts of their own or too many at its end.
 */
function fitTexts(row: ImportedTask, paragraphs: readonly string[], warnings: ImportWarning[]) {
  // A text of characters that nobody sees is no title.
  const hasTitle = /[^\p{Cf}\p{Cc}\p{Z}]/u.test(row.title)
  const { title, description: whole } = fitTitle(hasTitle ? cut(row.title, MAX_TEXT_LENGTH) : '')
  const given = [whole ?? '', row.description ?? '', ...paragraphs].map(fitText)
  const text = given.filter(Boolean).join('\n\n')
  if (whole !== undefined) warnings.push(toWarning('title_too_long', 'title'))
  if (text.length <= MAX_TEXT_LENGTH) return { title, description: text === '' ? null : text }
  warnings.push(toWarning('description_cut', 'description', '', MAX_TEXT_LENGTH))
  return { title, description: cut(text, MAX_TEXT_LENGTH) }
}

/** A text of several lines without the characters that the API refuses. */
export const fitText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\v\f\u0085]/g, '\n')
    .replace(/(?![\t\n\r])\p{Cc}/gu, '')
    .trim()

/** The names in a row, each on one line and no longer than the API allows, and its keys. */
function fitNames(row: ImportedTask, loss: LossNoter) {
  const fitName = (field: string, name: string) => {
    const line = toOneLine(name)
    if (line.length <= MAX_NAME_LENGTH) return line
    loss(field, line, 'too_long', MAX_NAME_LENGTH)
    return cut(line, MAX_NAME_LENGTH).trim()
  }
  const isShort = (field: string, max: number) => (name: string) => {
    if (codePointLength(name) <= max) return true
    loss(field, name, 'too_long', max)
    return false
  }
  const assignees = fitList(row.assignees).filter(isShort('assignees', MAX_NAME_LENGTH))
  const tags = fitList(row.tags).filter(isShort('tags', MAX_TAG_LENGTH))
  const blockers = fitList(row.blocked_by).map(fitKey)
  const first = (field: string, list: string[], max: number) => {
    const more = list.splice(max)
    if (more.length > 0) loss(field, more.join(', '), 'too_many', max)
    return list
  }
  const fitNullable = (field: string, name: string | null) =>
    name === null ? null : fitName(field, name) || null
  return {
    key: row.key === null ? null : fitKey(row.key) || null,
    parent: row.parent === null ? null : fitKey(row.parent) || null,
    blocked_by: first('blocked_by', blockers, MAX_BLOCKERS),
    assignees,
    tags: first('tags', tags, MAX_TASK_TAGS),
    project: fitName('project', row.project),
    status: fitNullable('status', row.status),
    ...(row.priority_name !== undefined && {
      priority_name: fitNullable('priority', row.priority_name),
    }),
  }
}

const fitList = (names: readonly string[]): string[] => [
  ...new Set(names.map(toOneLine).filter(Boolean)),
]

/** Cuts a key that is too long to be stored, in the same way wherever a row names it. */
export function fitKey(key: string): string {
  const line = toOneLine(key)
  if (codePointLength(line) <= MAX_EXTERNAL_ID_LENGTH) return line
  const hash = createHash('sha256').update(line).digest('hex').slice(0, 32)
  return `${cut(line, MAX_EXTERNAL_ID_LENGTH - hash.length - 1)}~${hash}`
}

function fitDates(row: ImportedTask, loss: LossNoter) {
  const fitDay = (field: string, day: ImportedDay | null): ImportedDay | null => {
    if (day === null || typeof day === 'object' || isDay(day)) return day
    const parsed = parseImportedDay(day)
    if (parsed === undefined && !isNoValue(day)) loss(field, day, 'not_a_date')
    return parsed ?? null
  }
  const due_date = fitDay('due_date', row.due_date)
  const { due_at = null } = row
  return {
    start_date: fitDay('start_date', row.start_date),
    due_date,
    // The time decides on the day, so that it goes with a day that is none.
    due_at: due_date === null || due_at === null ? null : (normalizeTimestamp(due_at) ?? null),
  }
}

function fitEstimate(seconds: number | null, loss: LossNoter): number | null {
  if (seconds === null) return null
  const whole = Math.round(seconds)
  if (whole >= 0 && whole <= MAX_ESTIMATE_SECONDS) return whole
  loss('estimate', `${seconds} s`, 'out_of_range')
  return null
}

/** Comments that the API accepts: long ones in parts, and no more than a task gets. */
function fitComments(
  comments: readonly ImportedComment[],
  warnings: ImportWarning[],
): ImportedComment[] {
  if (comments.length > MAX_ROW_COMMENTS)
    warnings.push(toWarning('comments_cut', 'comments', '', MAX_ROW_COMMENTS))
  const places = new Map<number, number>()
  const fitted: ImportedComment[] = []
  let length = 0
  for (const [at, comment] of comments.slice(0, MAX_ROW_COMMENTS).entries()) {
    const body = fitText(comment.body)
    if (body === '') continue
    length += body.length
    if (length > MAX_ROW_LENGTH - 2 * MAX_TEXT_LENGTH) {
      warnings.push(toWarning('comments_cut', 'comments', '', at))
      break
    }
    places.set(at, fitted.length)
    const author = comment.author === null ? null : cut(toOneLine(comment.author), MAX_NAME_LENGTH)
    const parts = splitText(body, MAX_COMMENT_BODY_LENGTH)
    for (const part of parts) {
      const reply = comment.reply_to === undefined ? undefined : places.get(comment.reply_to)
      fitted.push({
        author: author || null,
        at: fitCommentDay(comment.at),
        body: part,
        ...(reply !== undefined && { reply_to: reply }),
      })
    }
  }
  return fitted
}

function fitCommentDay(at: ImportedDay | null): ImportedDay | null {
  if (typeof at !== 'string' || isDay(at)) return at
  return parseImportedDay(at) ?? (cut(toOneLine(at), MAX_QUOTE_LENGTH) || null)
}

/** The parts of a text that are at most so long, cut at a line or a word where there is one nearby. */
export function splitText(text: string, maxLength: number): string[] {
  if (text.length <= maxLength || codePointLength(text) <= maxLength) return [text]
  const parts: string[] = []
  let rest = text
  while (rest.length > maxLength) {
    const beginning = cut(rest, maxLength)
    const near = beginning.length - Math.min(1_000, beginning.length / 2)
    const end = [beginning.lastIndexOf('\n'), beginning.lastIndexOf(' ')].find((at) => at > near)
    const part = end === undefined ? beginning : beginning.slice(0, end)
    parts.push(part)
    rest = rest.slice(part.length).trimStart()
  }
  return rest === '' ? parts : [...parts, rest]
}

/** The beginning of a text, without half of a character at its end. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** A warning about a field of a row, with what the file has there. */
export const toWarning = (
  code: ImportWarning['code'],
  field: string,
  value = '',
  number: number | null = null,
): ImportWarning => ({ code, field: shorten(field), value: shorten(value), number })

const shorten = (text: string): string =>
  text.length <= MAX_QUOTE_LENGTH ? text : `${cut(text, MAX_QUOTE_LENGTH)}…`

/** How the description calls the fields. */
const NOTE_LABELS: ReadonlyMap<string, string> = new Map([
  ['status', 'Status'],
  ['priority', 'Priority'],
  ['assignees', 'Assigned to'],
  ['tags', 'Tags'],
  ['project', 'Project'],
  ['start_date', 'Start date'],
  ['due_date', 'Due date'],
  ['estimate', 'Estimate'],
  ['parent', 'Part of'],
  ['blocked_by', 'Blocked by'],
  ['completed', 'Completed'],
  // Of cells beyond the last column.
  ['', 'More cells'],
])
