import { addDays, atWallTime, isTimezone } from '#lib/days.ts'
import { foldCase } from '#lib/fold-case.ts'
import { firstOccurrence, isRecurrenceRule, parseRecurrenceRule } from '#lib/recurrence.ts'
import type {
  ImportedComment,
  ImportedDay,
  ImportedTask,
} from '#resources/imports/imported-task.ts'
import type { ProjectDetails } from '#resources/imports/load.ts'
import { MAX_TASK_TAGS } from '#resources/tags/contract.ts'
import {
  type ColumnPlaces,
  type CsvLine,
  findColumns,
  openTable,
  readCell,
} from '../formats/csv-table.ts'
import { asJsonObject, asText } from '../formats/json-elements.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { isZip, readZipFiles } from '../formats/zip-files.ts'
import type { ExtraValue } from '../mapping/extra-values.ts'
import { MAX_NAME_LENGTH, MAX_ROW_COMMENTS, MAX_ROW_LENGTH } from '../mapping/fit-row.ts'
import { parseImportedDay } from '../mapping/parse-values.ts'
import {
  type LostValue,
  type OmissionCounter,
  type ReaderContext,
  type SourceReader,
  type SourceReading,
  type SourceRow,
  toLinkNote,
} from './source.ts'

/**
 * Reads a Todoist project as CSV, or the ZIP archive of a backup with a CSV file for each project.
 */
export const readTodoist: SourceReader = async function* (reading) {
  if (!(await isZip(reading.file))) return yield* readProject(reading, 0)
  let lastNumber = 0
  let hasCsv = false
  for await (const { name, bytes } of readZipFiles(reading.file)) {
    if (!/\.csv$/i.test(name)) continue
    hasCsv = true
    const file = { ...reading.file, filename: name, bytes }
    for await (const row of readProject({ ...reading, file }, lastNumber)) {
      lastNumber = row.number
      yield row
    }
  }
  if (!hasCsv) throw new UnreadableFileError('zip_misses', { value: '.csv' })
}

const COLUMNS = {
  type: ['type'],
  content: ['content'],
  description: ['description'],
  priority: ['priority'],
  indent: ['indent'],
  author: ['author'],
  responsible: ['responsible'],
  date: ['date'],
  timezone: ['timezone'],
  deadline: ['deadline'],
  duration: ['duration'],
  durationUnit: ['duration_unit'],
}
type Places = ColumnPlaces<keyof typeof COLUMNS>

const PRIORITIES = new Map<string, ImportedTask['priority']>([
  ['1', 'urgent'],
  ['2', 'high'],
  ['3', 'medium'],
])
const MAX_LEVELS = 5
/** A project keeps the names of no more sections than it could have statuses. */
const MAX_SECTIONS = 100

/** The indentation makes subtasks. A note belongs to the task above it. */
async function* readProject(
  reading: SourceReading,
  numberOffset: number,
): AsyncGenerator<SourceRow & { number: number }> {
  const { columns, lines } = await openTable(reading)
  const { places } = findColumns(columns, COLUMNS)
  const project = reading.file.filename.replace(/^.*\//, '').replace(/(?: \[\w+\])?\.csv$/i, '')
  const sections: NonNullable<ProjectDetails['statuses']> = []
  reading.projects.push({ name: project, statuses: sections })
  const ancestors: string[] = []
  let section: string | null = null
  let current: (SourceRow & { number: number } & ReturnType<typeof toTask>) | undefined
  let noteLength = 0
  for await (const line of lines) {
    const cell = readCell(places, line)
    const [type, content] = [cell('type'), cell('content')]
    if (type === 'section') {
      section = content
      if (content !== null && sections.length < MAX_SECTIONS)
        sections.push({ name: content.slice(0, MAX_NAME_LENGTH) })
    } else if (type === 'note' && content !== null) {
      if (!current) {
        reading.omissions.add('project_comments')
        continue
      }
      const { comments } = current
      // Further notes would only use memory: a task keeps no more than these.
      if (comments.length > MAX_ROW_COMMENTS || noteLength > MAX_ROW_LENGTH) continue
      const author = nameWithoutId(cell('author'))
      const at = parseImportedDay(cell('date') ?? '') ?? null
      comments.push({ author, at, body: withFileLinks(content, reading.omissions) })
      noteLength += content.length + (author?.length ?? 0)
    } else if (type === 'task') {
      if (current) yield current
      const level = Math.min(Math.max(Number(cell('indent') ?? 1) || 1, 1), MAX_LEVELS)
      const number = numberOffset + line.number
      ancestors.length = Math.min(ancestors.length, level - 1)
      const parent: string | null = ancestors.at(-1) ?? null
      ancestors.push(String(number))
      noteLength = 0
      const key = String(number)
      current = { ...toTask(line, places, reading), number, key, project, status: section, parent }
    }
  }
  if (current) yield current
}

/** Todoist writes the file of a comment into its text as JSON, of which Docket keeps the link. */
function withFileLinks(content: string, omissions: OmissionCounter): string {
  const start = content.indexOf('[[file {')
  const end = content.indexOf('}]]', start)
  if (start < 0 || end < 0) return content
  omissions.add('attachments')
  const { file_name, file_url } = asJsonObject(parseFile(content.slice(start + 7, end + 1)))
  const link = toLinkNote('Attachment', asText(file_name), asText(file_url))
  const rest = `${content.slice(0, start)}${content.slice(end + 3)}`.trim()
  return [rest, link].filter(Boolean).join('\n\n')
}

function parseFile(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function toTask(line: CsvLine, places: Places, context: ReaderContext) {
  const cell = readCell(places, line)
  const content = cell('content') ?? ''
  const words = content.matchAll(/(?:^|\s)@([^\s@]+)/g)
  const date = cell('date')
  const when = date === null ? null : parseDate(date, cell('timezone'), context)
  const deadlineText = cell('deadline')
  const deadline = deadlineText === null ? null : (parseImportedDay(deadlineText) ?? null)
  // A date in words that cannot be read stays in the description.
  const losses: LostValue[] = []
  const keep = (field: string, text: string) => losses.push({ code: 'not_a_date', field, text })
  if (date !== null && when === null) keep('Date', date)
  if (deadlineText !== null && deadline === null) keep('Deadline', deadlineText)
  const duration = Number(cell('duration') ?? Number.NaN)
  const unit = DURATION_UNITS.get(cell('durationUnit') ?? '')
  const second = typeof deadline === 'string' ? deadline : deadlineText
  return {
    title: content.replace(/(?:^|\s)@[^\s@]+/g, '').trim() || content,
    description: cell('description'),
    priority: PRIORITIES.get(cell('priority') ?? '') ?? 'none',
    assignees: [nameWithoutId(cell('responsible'))].flatMap((name) => name ?? []),
    // Further tags would only take time: no task may have so many.
    tags: [...words.take(MAX_TASK_TAGS + 1)].map(([, name = '']) => ({ name })),
    due_date: deadline,
    ...when,
    estimate_seconds: Number.isInteger(duration) && unit !== undefined ? duration * unit : null,
    comments: [] as ImportedComment[],
    extra: [
      ['Deadline', deadline !== null && when !== null ? second : null],
      ['Created by', nameWithoutId(cell('author'))],
    ] satisfies ExtraValue[],
    losses: [...losses, ...line.beyond],
  }
}

/** In seconds. A day has the eight hours of an estimate. */
const DURATION_UNITS: ReadonlyMap<string, number> = new Map([
  ['minute', 60],
  ['day', 28_800],
])

/** `Evan (14781400)` becomes `Evan`. */
const nameWithoutId = (person: string | null): string | null =>
  person
    ?.trimEnd()
    .replace(/\(\d+\)$/, '')
    .trim() || null

/** A longer text is no date. */
const MAX_DATE_LENGTH = 100

type DueFields = Pick<ImportedTask, 'due_date' | 'due_at' | 'recurrence'>

/**
 * The day, the time and the rule of a date: `2026-03-31 10:00`, `31 Mar`, `tomorrow`, `every!
 * monday at 9am`. Null if it cannot be read.
 */
function parseDate(
  text: string,
  zone: string | null,
  { today, timezone }: ReaderContext,
): DueFields | null {
  if (text.length > MAX_DATE_LENGTH) return null
  const words = foldCase(text.trim())
  const time = TIME.exec(words)
  const withoutTime = words.replace(TIME, ' ').replace(/\s+/g, ' ').trim()
  const rule = parseRecurrence(withoutTime, today)
  const due_date = rule?.due_date ?? parseDay(text, withoutTime, today)
  if (due_date === undefined) return null
  const due_at =
    time === null || typeof due_date !== 'string'
      ? null
      : atWallTime(due_date, zone !== null && isTimezone(zone) ? zone : timezone, toClock(time))
  return { due_date, due_at, ...(rule && { recurrence: rule.recurrence }) }
}

/** `at 10:00`, `9am`, `um 14:30 uhr` */
const TIME =
  /(?:\b(?:at|um|@)\s*)?\b(?:(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)(?::[0-5]\d)?\s*(?<half>[ap]m)?|(?<only>1[0-2]|0?[1-9])\s*(?<half2>[ap]m)|(?<=(?:at|um) )(?<bare>[01]?\d|2[0-3]))(?:\s*uhr)?(?=\s|$)/

function toClock({ groups = {} }: RegExpExecArray): string {
  const half = groups.half ?? groups.half2
  const hour = Number(groups.hour ?? groups.only ?? groups.bare)
  const full = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return `${String(full).padStart(2, '0')}:${groups.minute ?? '00'}`
}

const RELATIVE_DAY =
  /^(?:(tod|today|heute)|(tom|tomorrow|morgen)|(?:in |\+)(\d{1,4})(?: days?| tage?n?)?)$/

function parseDay(text: string, words: string, today: string): ImportedDay | undefined {
  const relative = RELATIVE_DAY.exec(words)
  if (relative) return addDays(today, Number(relative[3] ?? (relative[1] === undefined ? 1 : 0)))
  const day = parseImportedDay(text) ?? parseImportedDay(words)
  if (day !== undefined) return day
  // Without a year the next such day is meant.
  if (!/^\p{L}+\.? \d{1,2}$|^\d{1,2}\.? \p{L}+\.?$/u.test(words)) return undefined
  const year = Number(today.slice(0, 4))
  const next = parseImportedDay(`${words} ${year}`)
  return typeof next === 'string' && next < today ? parseImportedDay(`${words} ${year + 1}`) : next
}

/** Recurring dates in English and German as a rule, with the first day that it has from today on. */
function parseRecurrence(
  words: string,
  today: string,
): { due_date: string; recurrence: NonNullable<ImportedTask['recurrence']> } | undefined {
  const phrase = words
    .replace(/(?<=^\p{L}+)!/u, '')
    .replace(/(?<=\d)(?:st|nd|rd|th)\b/g, '.')
    .split(/[ ,&]+/)
    .map((word) => RULE_WORDS.get(word) ?? word)
    .filter(Boolean)
    .join(' ')
  const [, what] = /^every (.+)$/.exec(phrase) ?? []
  const rrule = what === undefined ? undefined : toRule(what)
  if (rrule === undefined || !isRecurrenceRule(rrule)) return undefined
  const rule = parseRecurrenceRule(rrule)
  const due_date = rule && firstOccurrence(rule, today, today)
  if (due_date === undefined) return undefined
  // With an exclamation mark Todoist counts from the day of completion.
  const basis = /^(?:\p{L}+!|after )/u.test(words) ? 'completion' : 'due_date'
  return { due_date, recurrence: { rrule, basis } }
}

/** What stands for words of rules. Whole words are compared, so that `morning` is no Monday. */
const RULE_WORDS = new Map(
  Object.entries({
    every: 'ev jede jeden jeder jedes jedem alle after',
    other: 'zweite zweiten zweiter',
    '': 'and und on am the den of des',
    DAILY: 'day days tag tage',
    WEEKLY: 'week weeks woche wochen',
    MONTHLY: 'month months monat monate',
    QUARTERLY: 'quarter quarters quartal quartale',
    YEARLY: 'year years jahr jahre',
    'every DAILY': 'daily täglich',
    'every WEEKLY': 'weekly wöchentlich',
    'every MONTHLY': 'monthly monatlich',
    'every QUARTERLY': 'quarterly vierteljährlich',
    'every YEARLY': 'yearly jährlich',
    WORKDAYS: 'weekday weekdays workday workdays werktag werktage wochentag wochentage',
    '1.': 'first erste ersten erster',
    '2.': 'second',
    '3.': 'third dritte dritten dritter',
    '4.': 'fourth vierte vierten vierter',
    '-1.': 'last letzte letzten letzter',
    MO: 'mo mon monday mondays montag montags',
    TU: 'tu tue tues tuesday tuesdays di dienstag dienstags',
    WE: 'we wed weds wednesday wednesdays mi mittwoch mittwochs',
    TH: 'th thu thur thurs thursday thursdays do donnerstag donnerstags',
    FR: 'fr fri friday fridays freitag freitags',
    SA: 'sa sat saturday saturdays samstag samstags sonnabend sonnabends weekend weekends wochenende',
    SU: 'su sun sunday sundays so sonntag sonntags',
  }).flatMap(([word, others]) => others.split(' ').map((other) => [other, word] as const)),
)

/** The rule of what comes after `every`. */
function toRule(what: string): string | undefined {
  const [, count = '1', unit = ''] = /^(?:(other|\d{1,3}) )?(.+)$/.exec(what) ?? []
  const isQuarter = unit === 'QUARTERLY'
  const interval = (count === 'other' ? 2 : Number(count)) * (isQuarter ? 3 : 1)
  const every = interval === 1 ? '' : `;INTERVAL=${interval}`
  if (isQuarter) return `FREQ=MONTHLY${every}`
  if (/^[A-Z]{5,7}$/.test(unit)) return `FREQ=${unit}${every}`
  if (unit === 'WORKDAYS') return 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'
  if (/^[A-Z]{2}(?: [A-Z]{2})*$/.test(unit))
    return `FREQ=WEEKLY${every};BYDAY=${[...new Set(unit.split(' '))].join(',')}`
  const [, place = '', weekday = ''] = /^(-?[1-4])\. (\w+)$/.exec(what) ?? []
  if (weekday.length === 2) return `FREQ=MONTHLY;BYDAY=${place}${weekday}`
  if (place === '-1' && weekday === 'DAILY') return 'FREQ=MONTHLY;BYMONTHDAY=-1'
  if (/^\d{1,2}\.?(?: \d{1,2}\.?)*$/.test(what))
    return `FREQ=MONTHLY;BYMONTHDAY=${[...new Set(what.match(/\d+/g))].join(',')}`
  // `27 jan` or `january 27.`: the year is only needed to read the month.
  const date = /^(?:\d+\.? \p{L}+|\p{L}+ \d+\.?)$/u.test(what) && parseImportedDay(`${what} 2000`)
  return typeof date === 'string'
    ? `FREQ=YEARLY;BYMONTH=${Number(date.slice(5, 7))};BYMONTHDAY=${Number(date.slice(8))}`
    : undefined
}
