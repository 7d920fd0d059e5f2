import { ARCHIVE_MANIFEST_FILENAME } from '#archive/format/archive-manifest.ts'
import { InvalidTarError, readTarEntries, type TarEntry } from '#archive/format/tar.ts'
import { isDay } from '#lib/days.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import { giveWay } from '#lib/turns.ts'
import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
import type { OmissionKind } from '#resources/imports/internal.ts'
import type { ProjectDetails } from '#resources/imports/load.ts'
import { MAX_STATUSES, type StatusCategory } from '#resources/projects/contract.ts'
import { MAX_OBJECT_MEMBERS } from '#resources/tasks/custom-data.ts'
import { decodeText } from '../formats/decode-text.ts'
import {
  asDay,
  asDue,
  asJsonObject,
  asJsonObjects,
  asNumber,
  asText,
  type JsonObject,
  MAX_ELEMENT_LENGTH,
} from '../formats/json-elements.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { MAX_ROW_COMMENTS } from '../mapping/fit-row.ts'
import {
  createOmissionCounter,
  createUniqueNames,
  type ExtraValue,
  type OmissionCounter,
  withExtraValues,
} from './extra-values.ts'
import { numberRows } from './row-numbers.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/** A Docket archive begins with the name of its first part. */
export const ARCHIVE_FIRST_FILENAME = 'workspace.jsonl'

const PARTS = ['members', 'projects', 'tags', 'tasks', 'comments'] as const
/** Something of each line is held in memory, however short it is. */
const MAX_LINES: Record<(typeof PARTS)[number], number> = {
  // Each has several statuses.
  projects: 10_000,
  members: 200_000,
  tags: 200_000,
  tasks: 200_000,
  comments: 200_000,
}
/**
 * Comments follow their tasks in the archive, so all are held in memory while the tasks are read.
 */
const MAX_COMMENTS_BYTES = 64 * 1024 * 1024
/**
 * Reads the archive of a workspace (docs/archive.md): the tasks of its projects with tags and
 * comments. Deleted tasks are skipped. Only `docket import` restores the rest of an archive.
 */
export const readDocketArchive: SourceReader = async (source, _, { timezone }) => {
  const parts = await openParts(source)
  const names = await readNames(parts)
  const omissions = createOmissionCounter()
  await countParts(source, omissions)
  return {
    statuses: names.categories,
    rows: parseRows(parts, names, timezone, omissions),
    rest: () => ({
      projects: [...names.projects.values()].map(({ details }) => details),
      not_taken_over: omissions.list(),
    }),
  }
}

/** In bytes: the end of an archive, which holds its manifest. */
const TAIL_BYTES = 65_536
const TAR_BLOCK_BYTES = 512

/** Counts the records of parts that are not imported, which the manifest at the end lists. */
async function countParts(source: ImportFile, omissions: OmissionCounter): Promise<void> {
  const start = Math.max(0, source.size - TAIL_BYTES)
  const aligned = Math.ceil(start / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES
  const tail = Buffer.concat(await Array.fromAsync(source.bytes(aligned, source.size)))
  const header = tail.lastIndexOf(`${ARCHIVE_MANIFEST_FILENAME}\0`)
  if (header < 0 || header % TAR_BLOCK_BYTES !== 0) return
  const size = Number.parseInt(tail.toString('latin1', header + 124, header + 135), 8)
  const manifest = parseManifest(tail.toString('utf8', header + TAR_BLOCK_BYTES).slice(0, size))
  for (const { part, lines } of asJsonObjects(manifest.parts)) {
    const what = COUNTED_PARTS.get(asText(part) ?? '')
    if (what !== undefined) omissions.add(what, asNumber(lines))
  }
}

/** An archive whose manifest is damaged is read all the same: its tasks come before it. */
function parseManifest(text: string): JsonObject {
  try {
    return asJsonObject(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

const COUNTED_PARTS: ReadonlyMap<string, OmissionKind> = new Map(
  Object.entries({
    ...({ attachments: 'attachments', time_entries: 'time_entries', views: 'views' } as const),
    ...({ templates: 'templates', webhooks: 'webhooks', activity: 'activity' } as const),
    applications: 'applications' as const,
  }),
)

type ArchivePartReaders = Record<(typeof PARTS)[number], () => AsyncGenerator<JsonObject>>

/** Locates the parts in the tar. It stops there: the attachments behind them are not read. */
async function openParts(source: ImportFile): Promise<ArchivePartReaders> {
  const entries = new Map<string, TarEntry>()
  const read = async (at: number, length: number) =>
    Buffer.concat(await Array.fromAsync(source.bytes(at, Math.min(at + length, source.size))))
  try {
    for await (const entry of readTarEntries(read, source.size)) {
      entries.set(entry.name, entry)
      if (PARTS.every((part) => entries.has(filenameOf(part)))) break
    }
  } catch (error) {
    if (error instanceof InvalidTarError)
      throw new UnreadableFileError('archive_damaged', { cause: error })
    throw error
  }
  const linesOf = (part: (typeof PARTS)[number]) => {
    const name = filenameOf(part)
    const entry = entries.get(name)
    if (!entry) throw new UnreadableFileError('archive_damaged', { value: name })
    const tooMany = () => new UnreadableFileError('archive_too_large', { value: name })
    if (part === 'comments' && entry.size > MAX_COMMENTS_BYTES) throw tooMany()
    return async function* lines() {
      const bytes = source.bytes(entry.start, entry.start + entry.size)
      let count = 0
      for await (const value of readJsonLines(bytes, name)) {
        count += 1
        if (count > MAX_LINES[part]) throw tooMany()
        yield asJsonObject(value)
      }
    }
  }
  return {
    members: linesOf('members'),
    projects: linesOf('projects'),
    tags: linesOf('tags'),
    tasks: linesOf('tasks'),
    comments: linesOf('comments'),
  }
}

const filenameOf = (part: string) => `${part}.jsonl`

/** Names of the records that other lines refer to by id. */
interface ArchiveNames {
  /** The email address of a person, by which a member is recognized, or else the name. */
  people: ReadonlyMap<string, string>
  projects: ReadonlyMap<string, ArchivedProject>
  tags: ReadonlyMap<string, { name: string; color: string | null }>
  /** Categories by status name. The first project that has a status of the name decides. */
  categories: ReadonlyMap<string, StatusCategory>
}

interface ArchivedProject {
  name: string
  /** Names of statuses by key. */
  statuses: ReadonlyMap<string, string>
  details: ProjectDetails
}

async function readNames(parts: ArchivePartReaders): Promise<ArchiveNames> {
  const people = new Map<string, string>()
  for await (const one of parts.members()) {
    people.set(idOf(one), asText(one.email) ?? asText(one.name) ?? idOf(one))
  }
  const tags = new Map<string, { name: string; color: string | null }>()
  for await (const one of parts.tags())
    tags.set(idOf(one), { name: asText(one.name) ?? '', color: toColor(one.color) })
  const projects = new Map<string, ArchivedProject>()
  const toUniqueName = createUniqueNames()
  const categories = new Map<string, StatusCategory>()
  for await (const one of parts.projects()) {
    const statuses = new Map<string, string>()
    for (const { key, name, category } of asJsonObjects(one.statuses).slice(0, MAX_STATUSES)) {
      const statusName = asText(name) ?? ''
      statuses.set(asText(key) ?? '', statusName)
      const statusCategory = CATEGORIES.find((it) => it === category)
      if (statusCategory && !categories.has(statusName)) categories.set(statusName, statusCategory)
    }
    const name = toUniqueName(asText(one.name) ?? '')
    projects.set(idOf(one), { name, statuses, details: toDetails(one, name, people) })
  }
  return { people, projects, tags, categories }
}

function toDetails(
  project: JsonObject,
  name: string,
  people: ReadonlyMap<string, string>,
): ProjectDetails {
  const [color, icon] = [toColor(project.color), asText(project.icon)]
  const lead = asText(project.lead_id)
  const asDayOrNull = (value: unknown) => (isDay(asText(value) ?? '') ? asText(value) : null)
  return {
    name,
    description: asText(project.description),
    icon,
    ...(color !== null && { color }),
    visibility: project.visibility === 'private' ? 'private' : 'workspace',
    ...(lead !== null && { lead: people.get(lead) ?? lead }),
    start_date: asDayOrNull(project.start_date),
    target_date: asDayOrNull(project.target_date),
    statuses: asJsonObjects(project.statuses).slice(0, MAX_STATUSES).map(toStatus),
  }
}

function toStatus({ name, color, category }: JsonObject) {
  const [known, own] = [CATEGORIES.find((it) => it === category), toColor(color)]
  return {
    name: asText(name) ?? '',
    ...(known && { category: known }),
    ...(own !== null && { color: own }),
  }
}

const toColor = (value: unknown): string | null =>
  /^#[0-9a-f]{6}$/i.exec(asText(value) ?? '')?.[0] ?? null

const CATEGORIES: readonly StatusCategory[] = [
  'backlog',
  'unstarted',
  'started',
  'completed',
  'canceled',
]

async function* parseRows(
  parts: ArchivePartReaders,
  names: ArchiveNames,
  timezone: string,
  omissions: OmissionCounter,
): AsyncGenerator<ParsedRow> {
  const comments = await readComments(parts, names, timezone)
  const { deleted, numbers } = await readPlaces(parts, names)
  omissions.add('deleted_tasks', deleted.size)
  let count = 0
  for await (const task of parts.tasks()) {
    const number = numbers[count] ?? count + 1
    count += 1
    const key = idOf(task)
    if (deleted.has(key)) continue
    const row = toRow(task, number, names, timezone)
    row.blocked_by = row.blocked_by.filter((id) => !deleted.has(id))
    if (row.parent !== null && deleted.has(row.parent)) row.parent = null
    yield { row: { ...row, key, comments: comments.get(key) ?? [] }, warnings: [] }
    // Another line with the same id does not get them too.
    comments.delete(key)
  }
}

/** The deleted tasks, and the order of the others in their projects. */
async function readPlaces(parts: ArchivePartReaders, { projects }: ArchiveNames) {
  const deleted = new Set<string>()
  const ranks = new Map([...projects.keys()].map((id, at) => [id, at]))
  const places: { rows: number; project: number; position: string }[] = []
  for await (const task of parts.tasks()) {
    if (task.deleted_at !== null) deleted.add(idOf(task))
    const project = ranks.get(asText(task.project_id) ?? '') ?? ranks.size
    places.push({ rows: 1, project, position: asText(task.position)?.slice(0, 250) ?? '' })
  }
  const numbers = await numberRows(
    places,
    (a, b) => a.project - b.project || compareText(a.position, b.position),
  )
  return { deleted, numbers }
}

/** Ranks are compared byte by byte. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

async function readComments(
  { comments }: ArchivePartReaders,
  { people }: ArchiveNames,
  timezone: string,
): Promise<Map<string, ImportedComment[]>> {
  const byTask = new Map<string, ImportedComment[]>()
  const places = new Map<string, number>()
  for await (const { id, task_id, author_id, created_at, parent_id, body } of comments()) {
    const taskId = asText(task_id)
    if (taskId === null) continue
    const ofTask = byTask.get(taskId) ?? []
    // Further comments would only use memory: the task is rejected for those that it has.
    if (ofTask.length > MAX_ROW_COMMENTS) continue
    const author = asText(author_id)
    const answered = places.get(`${taskId} ${asText(parent_id) ?? ''}`)
    places.set(`${taskId} ${asText(id) ?? ''}`, ofTask.length)
    ofTask.push({
      author: author && (people.get(author) ?? author),
      at: asDay(created_at, timezone),
      body: asText(body) ?? '',
      ...(answered !== undefined && { reply_to: answered }),
    })
    byTask.set(taskId, ofTask)
  }
  return byTask
}

function toRow(
  task: JsonObject,
  number: number,
  { people, projects, tags }: ArchiveNames,
  timezone: string,
): ImportedTask {
  const project = projects.get(asText(task.project_id) ?? '')
  const seconds = asNumber(task.estimate_seconds)
  const ids = (value: unknown) =>
    Array.isArray(value) ? value.flatMap((id) => asText(id) ?? []) : []
  const own = ids(task.tag_ids).flatMap((id) => tags.get(id) ?? [])
  const recurrence = toRecurrence(task)
  const row: ImportedTask = {
    ...emptyImportedTask(number),
    project: project?.name ?? '',
    title: asText(task.title) ?? '',
    description: asText(task.description),
    status: project?.statuses.get(asText(task.status) ?? '') ?? null,
    priority: PRIORITIES.find((one) => one === task.priority) ?? 'none',
    assignees: ids(task.assignee_ids).map((id) => people.get(id) ?? id),
    tags: own.map(({ name }) => name),
    tag_colors: Object.fromEntries(
      own.flatMap(({ name, color }) => (color === null ? [] : [[name, color] as const])),
    ),
    start_date: asDay(task.start_date, timezone),
    ...asDue(task.due_at ?? task.due_date, timezone),
    estimate_seconds: Number.isSafeInteger(seconds) ? seconds : null,
    parent: asText(task.parent_id),
    blocked_by: ids(task.blocked_by_ids),
    ...(recurrence && { recurrence }),
    metadata: readMetadata(task),
  }
  const customFields = Object.entries(asJsonObject(task.custom_fields))
  return withExtraValues(
    row,
    customFields.map(([key, value]) => [key, toExtraValue(value)] as const),
  )
}

/** A value of a custom field as the archive has it. */
function toExtraValue(value: unknown): ExtraValue[1] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return Array.isArray(value) ? value.flatMap((one) => asText(one) ?? []) : null
}

/** The task's own metadata, and the source from which it had come to the other workspace. */
function readMetadata(task: JsonObject): NonNullable<ImportedTask['metadata']> {
  const own = Object.entries(asJsonObject(task.metadata)).flatMap(([key, value]) =>
    typeof value === 'string' && METADATA_KEY.test(key) ? [[key, value] as const] : [],
  )
  const [source, id] = [asText(task.external_source), asText(task.external_id)]
  const hasRoom = own.length < MAX_OBJECT_MEMBERS - 1 && JSON.stringify(own).length < 12_000
  return Object.fromEntries([
    ...own,
    ...(source !== null && id !== null && hasRoom
      ? ([
          ['external_source', source],
          ['external_id', id],
        ] as const)
      : []),
  ])
}

const METADATA_KEY = /^[A-Za-z0-9_.:-]{1,40}$/

function toRecurrence(task: JsonObject): ImportedTask['recurrence'] {
  const { rrule, basis } = asJsonObject(task.recurrence)
  const rule = asText(rrule)
  if (rule === null || !isRecurrenceRule(rule)) return null
  return { rrule: rule, basis: basis === 'completion' ? 'completion' : 'due_date' }
}

const PRIORITIES: readonly ImportedTask['priority'][] = ['none', 'low', 'medium', 'high', 'urgent']
const idOf = (line: JsonObject) => asText(line.id) ?? ''

/** Streams the values of the lines in a part of an archive. Throws an `UnreadableFileError` that names the line. */
async function* readJsonLines(bytes: AsyncIterable<Uint8Array>, filename: string): AsyncGenerator {
  let number = 0
  let rest = ''
  const parseLine = (line: string): unknown => {
    number += 1
    if (line.length > MAX_ELEMENT_LENGTH) throw tooLong(number)
    try {
      return JSON.parse(line)
    } catch (error) {
      throw new UnreadableFileError('archive_damaged', { value: filename, number, cause: error })
    }
  }
  const tooLong = (number: number) =>
    new UnreadableFileError('archive_damaged', { value: filename, number })
  for await (const text of decodeText(bytes, false)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_ELEMENT_LENGTH) throw tooLong(number + lines.length + 1)
    for (const line of lines) {
      yield parseLine(line)
      await giveWay()
    }
  }
  if (rest !== '') yield parseLine(rest)
}
