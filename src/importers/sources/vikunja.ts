import { DAY_SECONDS } from '#lib/durations.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import { giveWay } from '#lib/turns.ts'
import type { ImportedComment, ImportedTask } from '#resources/imports/imported-task.ts'
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
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { readZipFiles } from '../formats/zip-files.ts'
import { firstComments } from '../mapping/fit-row.ts'
import {
  createUniqueNames,
  type ImportFile,
  type OmissionCounter,
  type SourceReader,
  type SourceReading,
  type SourceRow,
  toColor,
  toLinkNote,
} from './source.ts'

/** Reads the user data export of Vikunja: a ZIP archive with projects and tasks in `data.json`. */
export const readVikunja: SourceReader = async function* (reading) {
  const converter = createHtmlConverter()
  try {
    const projects = await readProjects(reading, converter)
    await nameProjects(projects, reading, converter)
    for (const project of projects.values()) {
      const { name, tasks, names, positions, bucketIds, views } = project
      const list = views.find(({ kind }) => kind === 'list')?.id ?? ''
      const board = kanbanOf(project)?.id ?? ''
      const placeOf = ({ row, position }: VikunjaTask) =>
        positions.get(`${list} ${row.key}`) || position || Number.MAX_VALUE
      for (const { row, bucket } of tasks.toSorted((a, b) => placeOf(a) - placeOf(b))) {
        const status = names.get(bucketIds.get(`${board} ${row.key}`) ?? bucket) ?? null
        yield { ...row, project: name, status }
      }
    }
    await countFilters(reading)
  } finally {
    await converter.close()
  }
}

const DATA_FILENAME = 'data.json'

/** Streams the members of the projects, whose tasks are too many to be held in memory together. */
async function* readData(file: ImportFile): AsyncGenerator<JsonElement> {
  for await (const { name, bytes } of readZipFiles(file)) {
    if (name === DATA_FILENAME) return yield* readJsonObjectElements(decodeText(bytes(), false))
  }
  throw new UnreadableFileError('zip_misses', { value: DATA_FILENAME })
}

async function countFilters({ file, omissions }: SourceReading): Promise<void> {
  for await (const { name, bytes } of readZipFiles(file)) {
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
  tasks: VikunjaTask[]
}

/** A task, of which place and bucket are known once the file is read. */
interface VikunjaTask {
  row: SourceRow
  position: number
  bucket: string | null
}

/** Reads the file to its end, because what the tasks refer to follows them. */
async function readProjects(reading: SourceReading, converter: HtmlConverter) {
  const projects = new Map<number, VikunjaProject>()
  for await (const { object, member, value } of readData(reading.file)) {
    const project = projects.get(object) ?? emptyProject()
    projects.set(object, project)
    const one = asJsonObject(value)
    const [id, view] = [asText(one.id), asText(one.project_view_id)]
    const position = asNumber(one.position) || 0
    const place = `${view ?? ''} ${asText(one.task_id) ?? ''}`
    if (member === 'title') project.name = reading.hold(asText(value) ?? '')
    else if (member === 'description') project.description = reading.hold(asText(value))
    else if (member === 'hex_color') project.color = toColor(asText(value))
    else if (member === 'views') {
      const [kind, doneBucket] = [asText(one.view_kind), asText(one.done_bucket_id)]
      project.views.push(reading.hold({ id, kind, doneBucket }))
    } else if (member === 'buckets') {
      const bucket = reading.hold({ id, name: asText(one.title) ?? '', view, position })
      project.buckets.push(bucket)
      if (one.is_done_bucket === true) markAsDone(bucket.name, reading)
    } else if (member === 'task_buckets')
      project.bucketIds.set(reading.hold(place), asText(one.bucket_id))
    else if (member === 'positions') project.positions.set(reading.hold(place), position)
    // A project without tasks has null for them.
    else if (member === 'tasks' && value !== null) {
      countOmissions(one, reading.omissions)
      const row = await toRow(one, reading.timezone, converter)
      project.tasks.push(reading.hold({ row, position, bucket: asText(one.bucket_id) }))
    }
  }
  return projects
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
  tasks: [],
})

function markAsDone(name: string, { statuses }: SourceReading): void {
  if (name !== '' && !statuses.has(name)) statuses.set(name, 'completed')
}

/** Names the projects apart, whose parents may tell them apart in Vikunja, and their buckets. */
async function nameProjects(
  projects: ReadonlyMap<number, VikunjaProject>,
  reading: SourceReading,
  converter: HtmlConverter,
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
    if (doneName !== undefined) markAsDone(doneName, reading)
    reading.projects.push({
      name: project.name,
      description: await toMarkdown(project.description, converter),
      statuses: buckets.map(({ name }) => {
        const category = reading.statuses.get(name)
        return { name, ...(category && { category }) }
      }),
      ...(project.color !== null && { color: project.color }),
    })
  }
}

const kanbanOf = ({ views }: VikunjaProject) => views.find(({ kind }) => kind === 'kanban')

const PRIORITIES: ImportedTask['priority'][] = ['none', 'low', 'medium', 'high', 'urgent', 'urgent']
const nameOf = (one: JsonObject) => asText(one.name) ?? asText(one.username)

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
  timezone: string,
  converter: HtmlConverter,
): Promise<SourceRow> {
  const related = asJsonObject(task.related_tasks)
  const textsOf = (kind: string, member: 'id' | 'title') =>
    asJsonObjects(related[kind]).flatMap((one) => asText(one[member]) ?? [])
  const [due, end] = [asDue(task.due_date, timezone), asDue(task.end_date, timezone)]
  const repetition = toRecurrence(task, due.due_date !== null || end.due_date !== null)
  const attachments = asJsonObjects(task.attachments).map(({ file }) =>
    toLinkNote('Attachment', asText(asJsonObject(file).name), null),
  )
  const done = asNumber(task.percent_done) || 0
  return {
    key: asText(task.id),
    title: asText(task.title) ?? '',
    description: await toMarkdown(asText(task.description), converter),
    completed: task.done === true,
    priority: PRIORITIES[asNumber(task.priority) || 0] ?? 'none',
    assignees: asJsonObjects(task.assignees).flatMap((one) => nameOf(one) ?? []),
    tags: asJsonObjects(task.labels).map(({ title, hex_color }) => ({
      name: asText(title),
      color: toColor(asText(hex_color)),
    })),
    start_date: asDay(task.start_date, timezone),
    ...(due.due_date === null ? end : due),
    parent: textsOf('parenttask', 'id')[0] ?? null,
    blocked_by: textsOf('blocked', 'id'),
    recurrence: repetition.recurrence ?? null,
    comments: await toComments(task.comments, timezone, converter),
    notes: [...repetition.notes, ...attachments],
    extra: [
      ['End date', due.due_date === null ? null : end.due_date],
      ['Percent done', done > 0 ? Math.round(done * 100) : null],
      ['Favorite', task.is_favorite === true ? true : null],
      ['Created by', nameOf(asJsonObject(task.created_by))],
      ...Object.entries(RELATIONS).map(([kind, name]) => [name, textsOf(kind, 'title')] as const),
    ],
  }
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
): { recurrence?: ImportedTask['recurrence']; notes: string[] } {
  const [seconds, mode] = [asNumber(task.repeat_after) || 0, asNumber(task.repeat_mode) || 0]
  if (mode !== 1 && !(seconds > 0)) return { notes: [] }
  const days = seconds / DAY_SECONDS
  const inDays = days % 7 === 0 ? `FREQ=WEEKLY;INTERVAL=${days / 7}` : `FREQ=DAILY;INTERVAL=${days}`
  const rrule = mode === 1 ? 'FREQ=MONTHLY' : inDays
  if (!isRecurrenceRule(rrule)) return { notes: [`Repeats every ${seconds / 3_600} hours`] }
  const basis = mode > 1 || !isDue ? 'completion' : 'due_date'
  return { recurrence: { rrule, basis }, notes: [] }
}

/** Counts what a task has beside what its row has. */
function countOmissions(task: JsonObject, omissions: OmissionCounter): void {
  omissions.add('attachments', asJsonObjects(task.attachments).length)
  omissions.add('reminders', asJsonObjects(task.reminders).length)
  for (const users of Object.values(asJsonObject(task.reactions)))
    omissions.add('reactions', Array.isArray(users) ? users.length : 0)
}

/** A description of Vikunja; older versions have Markdown, which is taken as it is. */
async function toMarkdown(html: string | null, converter: HtmlConverter): Promise<string | null> {
  if (html === null || !/<[\w/!]|&[\w#]/.test(html)) return html
  const markdown = await converter.convert(html)
  return markdown === '' ? null : markdown.toWellFormed()
}
