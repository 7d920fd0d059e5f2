import { DAY_SECONDS } from '#lib/durations.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import { giveWay } from '#lib/turns.ts'
import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
import type { ProjectDetails } from '#resources/imports/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { decodeText } from '../formats/decode-text.ts'
import { createHtmlConverter, type HtmlConverter } from '../formats/html-converter.ts'
import {
  asDay,
  asDue,
  asJsonObject,
  asJsonObjects,
  asNumber,
  asText,
  type JsonElement,
  type JsonObject,
  readJsonElements,
  readJsonObjectElements,
} from '../formats/json-elements.ts'
import { tooManyTasks, UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { readZipFiles } from '../formats/zip-files.ts'
import { firstComments } from '../mapping/fit-row.ts'
import {
  createOmissionCounter,
  createUniqueNames,
  type OmissionCounter,
  toLinkNote,
  withExtraValues,
} from './extra-values.ts'
import { numberRows, type RowPlace } from './row-numbers.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the user data export of Vikunja: a ZIP archive with projects and tasks in `data.json`. */
export const readVikunja: SourceReader = async (source, _, { timezone, maxRows }) => {
  const statuses = new Map<string, StatusCategory>()
  const projects: ProjectDetails[] = []
  const omissions = createOmissionCounter()
  const converter = createHtmlConverter()
  return {
    statuses,
    rows: readRows(source, { timezone, maxRows, statuses, projects, omissions, converter }),
    rest: () => ({ projects, not_taken_over: omissions.list() }),
  }
}

interface VikunjaReading {
  timezone: string
  maxRows: number
  /** Filled while the file is read. */
  statuses: Map<string, StatusCategory>
  projects: ProjectDetails[]
  omissions: OmissionCounter
  converter: HtmlConverter
}

const DATA_FILENAME = 'data.json'

async function* readRows(source: ImportFile, reading: VikunjaReading): AsyncGenerator<ParsedRow> {
  try {
    const { projects, numbers } = await readProjects(source, reading)
    let count = 0
    for await (const { object, member, value } of readData(source)) {
      // A project without tasks has null for them.
      if (member !== 'tasks' || value === null) continue
      const task = asJsonObject(value)
      const project = projects.get(object)
      const number = numbers[count] ?? count + 1
      count += 1
      countOmissions(task, reading.omissions)
      const status = project ? bucketOf(project, task) : null
      const row = await toRow(task, number, reading)
      yield { row: { ...row, project: project?.name ?? '', status }, warnings: [] }
    }
    await countFilters(source, reading.omissions)
  } finally {
    await reading.converter.close()
  }
}

/** Streams the members of the projects, whose tasks are too many to be held in memory together. */
async function* readData(source: ImportFile): AsyncGenerator<JsonElement> {
  for await (const { name, bytes } of readZipFiles(source)) {
    if (name === DATA_FILENAME) return yield* readJsonObjectElements(decodeText(bytes(), false))
  }
  throw new UnreadableFileError('zip_misses', { value: DATA_FILENAME })
}

async function countFilters(source: ImportFile, omissions: OmissionCounter): Promise<void> {
  for await (const { name, bytes } of readZipFiles(source)) {
    if (name !== 'filters.json') continue
    for await (const _ of readJsonElements(decodeText(bytes(), false)))
      omissions.add('saved_filters')
  }
}

interface VikunjaProject {
  name: string
  description: string | null
  color: string | null
  /** The views of a project, of which newer exports have buckets and positions apart. */
  views: { id: string | null; kind: string | null; doneBucket: string | null }[]
  buckets: { id: string | null; name: string; view: string | null; position: number }[]
  /** Bucket and position of a task in a view, by `<view> <task>`. */
  bucketIds: Map<string, string | null>
  positions: Map<string, number>
  names: Map<string | null, string>
}

/** In characters: what is held in memory while the tasks are read. */
const MAX_HELD_LENGTH = 67_108_864
/** What an entry takes beside its texts, which may be empty. */
const ENTRY_LENGTH = 512

interface TaskPlace extends RowPlace {
  object: number
  id: string
  position: number
}

/** Reads what the tasks refer to in a first pass, because it follows them in the file. */
async function readProjects(source: ImportFile, reading: VikunjaReading) {
  const projects = new Map<number, VikunjaProject>()
  const tasks: TaskPlace[] = []
  let heldLength = 0
  const countHeld = (...texts: (string | null)[]) => {
    heldLength += texts.reduce((sum, text) => sum + (text?.length ?? 0), ENTRY_LENGTH)
    if (heldLength > MAX_HELD_LENGTH) throw new UnreadableFileError('too_many_entries')
  }
  for await (const { object, member, value } of readData(source)) {
    const project = projects.get(object) ?? emptyProject()
    projects.set(object, project)
    const one = asJsonObject(value)
    const [id, view] = [asText(one.id), asText(one.project_view_id)]
    const place = `${view ?? ''} ${asText(one.task_id) ?? ''}`
    if (member === 'title') project.name = asText(value) ?? ''
    else if (member === 'description') {
      project.description = asText(value)
      countHeld(project.description)
    } else if (member === 'hex_color') project.color = toColor(value)
    else if (member === 'views') {
      const [kind, doneBucket] = [asText(one.view_kind), asText(one.done_bucket_id)]
      project.views.push({ id, kind, doneBucket })
      countHeld(id, kind)
    } else if (member === 'buckets') {
      const name = asText(one.title) ?? ''
      project.buckets.push({ id, name, view, position: asNumber(one.position) || 0 })
      if (one.is_done_bucket === true) markAsDone(name, reading.statuses)
      countHeld(id, name, view)
    } else if (member === 'task_buckets') {
      project.bucketIds.set(place, asText(one.bucket_id))
      countHeld(place)
    } else if (member === 'positions') {
      project.positions.set(place, asNumber(one.position) || 0)
      countHeld(place)
    } else if (member === 'tasks' && value !== null) {
      tasks.push({ object, id: id ?? '', position: asNumber(one.position) || 0, rows: 1 })
      if (tasks.length > reading.maxRows) throw tooManyTasks(reading.maxRows)
    }
  }
  await nameProjects(projects, reading)
  for (const task of tasks) {
    const project = projects.get(task.object)
    const list = project?.views.find(({ kind }) => kind === 'list')?.id ?? ''
    task.position =
      project?.positions.get(`${list} ${task.id}`) || task.position || Number.MAX_VALUE
  }
  const numbers = await numberRows(tasks, (a, b) => a.object - b.object || a.position - b.position)
  return { projects, numbers }
}

const emptyProject = (): VikunjaProject => ({
  name: '',
  description: null,
  color: null,
  views: [],
  buckets: [],
  bucketIds: new Map(),
  positions: new Map(),
  names: new Map(),
})

function markAsDone(name: string, statuses: Map<string, StatusCategory>): void {
  if (name !== '' && !statuses.has(name)) statuses.set(name, 'completed')
}

/** Names the projects apart, whose parents may tell them apart in Vikunja, and their buckets. */
async function nameProjects(
  projects: ReadonlyMap<number, VikunjaProject>,
  reading: VikunjaReading,
): Promise<void> {
  const toUniqueName = createUniqueNames()
  for (const project of projects.values()) {
    project.name = toUniqueName(project.name)
    const board = kanbanOf(project)
    const buckets = project.buckets
      .filter(({ name, view }) => name !== '' && (view === null || !board || view === board.id))
      .toSorted((a, b) => a.position - b.position)
    project.names = new Map(buckets.map(({ id, name }) => [id, name]))
    const doneName = project.names.get(board?.doneBucket ?? null)
    if (doneName !== undefined) markAsDone(doneName, reading.statuses)
    reading.projects.push({
      name: project.name,
      description: await toMarkdown(project.description, reading.converter),
      statuses: buckets.map(({ name }) => {
        const category = reading.statuses.get(name)
        return { name, ...(category && { category }) }
      }),
      ...(project.color !== null && { color: project.color }),
    })
  }
}

const kanbanOf = ({ views }: VikunjaProject) => views.find(({ kind }) => kind === 'kanban')

function bucketOf(project: VikunjaProject, task: JsonObject): string | null {
  const place = `${kanbanOf(project)?.id ?? ''} ${asText(task.id) ?? ''}`
  return project.names.get(project.bucketIds.get(place) ?? asText(task.bucket_id)) ?? null
}

const PRIORITIES: ImportedTask['priority'][] = ['none', 'low', 'medium', 'high', 'urgent', 'urgent']
const nameOf = (one: JsonObject) => asText(one.name) ?? asText(one.username)
const toColor = (value: unknown): string | null => {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(asText(value) ?? '') ?? []
  return digits === undefined ? null : `#${digits.toLowerCase()}`
}

/** Relations that no field of a task holds, with their names. */
const RELATIONS = {
  related: 'Related to',
  duplicateof: 'Duplicate of',
  duplicates: 'Duplicated by',
  precedes: 'Precedes',
  follows: 'Follows',
  copiedfrom: 'Copied from',
  copiedto: 'Copied to',
}

async function toRow(
  task: JsonObject,
  number: number,
  { timezone, converter }: VikunjaReading,
): Promise<ImportedTask> {
  const related = asJsonObject(task.related_tasks)
  const keysOf = (kind: string) =>
    asJsonObjects(related[kind]).flatMap((one) => asText(one.id) ?? [])
  const labels = asJsonObjects(task.labels).flatMap(({ title, hex_color }) => {
    const tag = asText(title)
    return tag === null ? [] : [{ tag, color: toColor(hex_color) }]
  })
  const [due, end] = [asDue(task.due_date, timezone), asDue(task.end_date, timezone)]
  const repetition = toRecurrence(task, due.due_date !== null || end.due_date !== null)
  const attachments = asJsonObjects(task.attachments).map(({ file }) =>
    toLinkNote('Attachment', asText(asJsonObject(file).name), null),
  )
  const row: ImportedTask = {
    ...emptyImportedTask(number),
    key: asText(task.id),
    title: asText(task.title) ?? '',
    description: await toMarkdown(asText(task.description), converter),
    completed: task.done === true,
    priority: PRIORITIES[asNumber(task.priority) || 0] ?? 'none',
    assignees: [...new Set(asJsonObjects(task.assignees).flatMap((one) => nameOf(one) ?? []))],
    tags: [...new Set(labels.map(({ tag }) => tag))],
    tag_colors: Object.fromEntries(
      labels.flatMap(({ tag, color }) => (color === null ? [] : [[tag, color] as const])),
    ),
    start_date: asDay(task.start_date, timezone),
    ...(due.due_date === null ? end : due),
    parent: keysOf('parenttask')[0] ?? null,
    blocked_by: keysOf('blocked'),
    ...(repetition.recurrence && { recurrence: repetition.recurrence }),
    comments: await toComments(task.comments, timezone, converter),
    notes: [...repetition.notes, ...attachments],
  }
  const done = asNumber(task.percent_done) || 0
  return withExtraValues(row, [
    ['End date', due.due_date === null ? null : end.due_date],
    ['Percent done', done > 0 ? Math.round(done * 100) : null],
    ['Favorite', task.is_favorite === true ? true : null],
    ['Created by', nameOf(asJsonObject(task.created_by))],
    ...Object.entries(RELATIONS).map(
      ([kind, name]) =>
        [name, asJsonObjects(related[kind]).flatMap((one) => asText(one.title) ?? [])] as const,
    ),
  ])
}

async function toComments(
  value: unknown,
  timezone: string,
  converter: HtmlConverter,
): Promise<ImportedComment[]> {
  const comments: ImportedComment[] = []
  for (const { author, created, comment } of firstComments(asJsonObjects(value))) {
    comments.push({
      author: nameOf(asJsonObject(author)),
      at: asDay(created, timezone),
      body: (await toMarkdown(asText(comment), converter)) ?? '',
    })
    await giveWay()
  }
  return comments
}

/** The repetition of a task, which Vikunja counts in seconds. Hours stay a line. */
function toRecurrence(
  task: JsonObject,
  isDue: boolean,
): { recurrence?: NonNullable<ImportedTask['recurrence']>; notes: string[] } {
  const [seconds, mode] = [asNumber(task.repeat_after) || 0, asNumber(task.repeat_mode) || 0]
  if (mode !== 1 && !(seconds > 0)) return { notes: [] }
  const days = seconds / DAY_SECONDS
  const rrule =
    mode === 1
      ? 'FREQ=MONTHLY'
      : days % 7 === 0
        ? `FREQ=WEEKLY;INTERVAL=${days / 7}`
        : `FREQ=DAILY;INTERVAL=${days}`
  if (!isRecurrenceRule(rrule)) return { notes: [`Repeats every ${seconds / 3_600} hours`] }
  const basis = mode > 1 || !isDue ? 'completion' : 'due_date'
  return { recurrence: { rrule, basis }, notes: [] }
}

/** Counts what a task has beside what its row has. */
function countOmissions(task: JsonObject, omissions: OmissionCounter): void {
  omissions.add('attachments', asJsonObjects(task.attachments).length)
  omissions.add('reminders', asJsonObjects(task.reminders).length)
  const reactions = Object.values(asJsonObject(task.reactions))
  omissions.add(
    'reactions',
    reactions.reduce<number>((sum, users) => sum + (Array.isArray(users) ? users.length : 0), 0),
  )
}

/** A description of Vikunja; older versions have Markdown, which is taken as it is. */
async function toMarkdown(html: string | null, converter: HtmlConverter): Promise<string | null> {
  if (html === null || !/<[\w/!]|&[\w#]/.test(html)) return html
  const markdown = await converter.convert(html)
  return markdown === '' ? null : markdown.toWellFormed()
}
