import { ARCHIVE_MANIFEST_FILENAME, partFilename } from '#archive/format/archive-manifest.ts'
import { InvalidTarError, readTarEntries, type TarEntry } from '#archive/format/tar.ts'
import { isDay } from '#lib/days.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import { giveWay } from '#lib/turns.ts'
import type { ImportedComment, ImportedTask } from '#resources/imports/imported-task.ts'
import { OMISSION_KINDS } from '#resources/imports/internal.ts'
import type { ProjectDetails } from '#resources/imports/load.ts'
import { MAX_STATUSES, STATUS_CATEGORIES } from '#resources/projects/contract.ts'
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
import type { ExtraValue } from '../mapping/extra-values.ts'
import { MAX_ROW_COMMENTS } from '../mapping/fit-row.ts'
import {
  createUniqueNames,
  type ImportFile,
  type SourceReader,
  type SourceReading,
  type SourceRow,
  type SourceTag,
  toColor,
} from './source.ts'

/** A Docket archive begins with the name of its first part. */
export const ARCHIVE_FIRST_FILENAME = 'workspace.jsonl'

/** The parts that are read. Something of each line is held in memory, however short it is. */
const MAX_LINES = {
  members: 200_000,
  // Each has several statuses.
  projects: 10_000,
  tags: 200_000,
  tasks: 200_000,
  comments: 200_000,
}
type Part = keyof typeof MAX_LINES
/**
 * Comments follow their tasks in the archive, so all are held in memory while the tasks are read.
 */
const MAX_COMMENTS_BYTES = 64 * 1024 * 1024

/**
 * Reads the archive of a workspace (docs/archive.md): the tasks of its projects with tags and
 * comments. Deleted tasks are skipped. Only `docket import` restores the rest of an archive.
 */
export const readDocketArchive: SourceReader = async function* (reading) {
  const linesOf = await openParts(reading.file)
  const names = await readNames(linesOf, reading)
  await countParts(reading)
  const comments = await readComments(linesOf, names, reading.timezone)
  const { deleted, numbers } = await readPlaces(linesOf, names)
  reading.omissions.add('deleted_tasks', deleted.size)
  let count = 0
  for await (const task of linesOf('tasks')) {
    const number = numbers.get(count) ?? count + 1
    count += 1
    const key = idOf(task)
    if (deleted.has(key)) continue
    const parent = asText(task.parent_id)
    yield {
      ...toRow(task, names, reading.timezone),
      number,
      key,
      blocked_by: textsOf(task.blocked_by_ids).filter((id) => !deleted.has(id)),
      parent: parent !== null && deleted.has(parent) ? null : parent,
      comments: comments.get(key) ?? [],
    }
    // Another line with the same id does not get them too.
    comments.delete(key)
  }
}

/** In bytes: the end of an archive, which holds its manifest. */
const TAIL_BYTES = 65_536
const TAR_BLOCK_BYTES = 512

/** Counts the records of parts that are not imported, which the manifest at the end lists. */
async function countParts({ file, omissions }: SourceReading): Promise<void> {
  const start = Math.max(0, file.size - TAIL_BYTES)
  const aligned = Math.ceil(start / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES
  const tail = Buffer.concat(await Array.fromAsync(file.bytes(aligned, file.size)))
  const header = tail.lastIndexOf(`${ARCHIVE_MANIFEST_FILENAME}\0`)
  if (header < 0 || header % TAR_BLOCK_BYTES !== 0) return
  const size = Number.parseInt(tail.toString('latin1', header + 124, header + 135), 8)
  const manifest = parseManifest(tail.toString('utf8', header + TAR_BLOCK_BYTES).slice(0, size))
  for (const { part, lines } of asJsonObjects(manifest.parts)) {
    const what = OMISSION_KINDS.find((kind) => kind === part)
    if (what !== undefined && what !== 'comments') omissions.add(what, asNumber(lines))
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

/** Streams the lines of a part. */
type LinesOf = (part: Part) => AsyncGenerator<JsonObject>

/** Locates the parts in the tar. It stops there: the attachments behind them are not read. */
async function openParts(file: ImportFile): Promise<LinesOf> {
  const names = Object.keys(MAX_LINES).map((part) => `${part}.jsonl`)
  const entries = new Map<string, TarEntry>()
  const read = async (at: number, length: number) =>
    Buffer.concat(await Array.fromAsync(file.bytes(at, Math.min(at + length, file.size))))
  try {
    for await (const entry of readTarEntries(read, file.size)) {
      entries.set(entry.name, entry)
      if (names.every((name) => entries.has(name))) break
    }
  } catch (error) {
    if (error instanceof InvalidTarError)
      throw new UnreadableFileError('archive_damaged', { cause: error })
    throw error
  }
  const missing = names.find((name) => !entries.has(name))
  if (missing !== undefined) throw new UnreadableFileError('archive_damaged', { value: missing })
  return async function* linesOf(part) {
    const name = partFilename(part)
    const { start, size } = entries.get(name) ?? { start: 0, size: 0 }
    const tooMany = () => new UnreadableFileError('archive_too_large', { value: name })
    if (part === 'comments' && size > MAX_COMMENTS_BYTES) throw tooMany()
    let count = 0
    for await (const value of readJsonLines(file.bytes(start, start + size), name)) {
      count += 1
      if (count > MAX_LINES[part]) throw tooMany()
      yield asJsonObject(value)
    }
  }
}

/** Names of the records that other lines refer to by id. */
interface ArchiveNames {
  /** The email address of a person, by which a member is recognized, or else the name. */
  people: ReadonlyMap<string, string>
  /** Names of projects, and of their statuses by key. */
  projects: ReadonlyMap<string, { name: string; statuses: ReadonlyMap<string, string> }>
  tags: ReadonlyMap<string, SourceTag>
}

async function readNames(linesOf: LinesOf, reading: SourceReading): Promise<ArchiveNames> {
  const people = new Map<string, string>()
  for await (const one of linesOf('members'))
    people.set(idOf(one), asText(one.email) ?? asText(one.name) ?? idOf(one))
  const tags = new Map<string, SourceTag>()
  for await (const one of linesOf('tags'))
    tags.set(idOf(one), { name: asText(one.name), color: toColor(asText(one.color)) })
  const projects: Map<string, { name: string; statuses: Map<string, string> }> = new Map()
  const toUniqueName = createUniqueNames()
  for await (const one of linesOf('projects')) {
    const details = toDetails(one, toUniqueName(asText(one.name) ?? ''), people)
    reading.projects.push(details)
    const keys = asJsonObjects(one.statuses).map(({ key }) => asText(key) ?? '')
    const { name, statuses } = details
    projects.set(idOf(one), {
      name,
      statuses: new Map(statuses.map((status, at) => [keys[at] ?? '', status.name])),
    })
    // The first project that has a status of the name decides.
    for (const { name: status, category } of statuses)
      if (category && !reading.statuses.has(status)) reading.statuses.set(status, category)
  }
  return { people, projects, tags }
}

function toDetails(project: JsonObject, name: string, people: ReadonlyMap<string, string>) {
  const [color, lead] = [toColor(asText(project.color)), asText(project.lead_id)]
  const asDayOrNull = (value: unknown) => (isDay(asText(value) ?? '') ? asText(value) : null)
  return {
    name,
    description: asText(project.description),
    icon: asText(project.icon),
    ...(color !== null && { color }),
    visibility: project.visibility === 'private' ? 'private' : 'workspace',
    ...(lead !== null && { lead: people.get(lead) ?? lead }),
    start_date: asDayOrNull(project.start_date),
    target_date: asDayOrNull(project.target_date),
    statuses: asJsonObjects(project.statuses)
      .slice(0, MAX_STATUSES)
      .map((status) => {
        const category = STATUS_CATEGORIES.find((one) => one === status.category)
        const own = toColor(asText(status.color))
        const given = { ...(category && { category }), ...(own !== null && { color: own }) }
        return { name: asText(status.name) ?? '', ...given }
      }),
  } satisfies ProjectDetails
}

/** The deleted tasks, and the order of the others in their projects. */
async function readPlaces(linesOf: LinesOf, { projects }: ArchiveNames) {
  const deleted = new Set<string>()
  const ranks = new Map([...projects.keys()].map((id, at) => [id, at]))
  const places: { project: number; position: string }[] = []
  for await (const task of linesOf('tasks')) {
    if (task.deleted_at !== null) deleted.add(idOf(task))
    const project = ranks.get(asText(task.project_id) ?? '') ?? ranks.size
    places.push({ project, position: asText(task.position)?.slice(0, 250) ?? '' })
  }
  // Ranks are compared byte by byte.
  const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const inOrder = [...places.entries()].toSorted(
    ([, a], [, b]) => a.project - b.project || compareText(a.position, b.position),
  )
  const numbers = new Map(inOrder.map(([at], order) => [at, order + 1]))
  return { deleted, numbers }
}

async function readComments(
  linesOf: LinesOf,
  { people }: ArchiveNames,
  timezone: string,
): Promise<Map<string, ImportedComment[]>> {
  const byTask = new Map<string, ImportedComment[]>()
  const places = new Map<string, number>()
  for await (const { id, task_id, author_id, created_at, parent_id, body } of linesOf('comments')) {
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

const PRIORITIES: readonly ImportedTask['priority'][] = ['none', 'low', 'medium', 'high', 'urgent']
const idOf = (line: JsonObject) => asText(line.id) ?? ''
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((one) => asText(one) ?? []) : []

function toRow(
  task: JsonObject,
  { people, projects, tags }: ArchiveNames,
  timezone: string,
): SourceRow {
  const project = projects.get(asText(task.project_id) ?? '')
  const seconds = asNumber(task.estimate_seconds)
  return {
    project: project?.name ?? '',
    title: asText(task.title) ?? '',
    description: asText(task.description),
    status: project?.statuses.get(asText(task.status) ?? '') ?? null,
    priority: PRIORITIES.find((one) => one === task.priority) ?? 'none',
    assignees: textsOf(task.assignee_ids).map((id) => people.get(id) ?? id),
    tags: textsOf(task.tag_ids).flatMap((id) => tags.get(id) ?? []),
    start_date: asDay(task.start_date, timezone),
    ...asDue(task.due_at ?? task.due_date, timezone),
    estimate_seconds: Number.isSafeInteger(seconds) ? seconds : null,
    recurrence: toRecurrence(task),
    metadata: readMetadata(task),
    extra: Object.entries(asJsonObject(task.custom_fields)).map(
      ([key, value]) => [key, toExtraValue(value)] as const,
    ),
  }
}

/** A value of a custom field as the archive has it. */
function toExtraValue(value: unknown): ExtraValue[1] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return textsOf(value)
}

/** The task's own metadata, and the source from which it had come to the other workspace. */
function readMetadata(task: JsonObject): NonNullable<ImportedTask['metadata']> {
  const own = Object.entries(asJsonObject(task.metadata)).flatMap(([key, value]) =>
    typeof value === 'string' && METADATA_KEY.test(key) ? [[key, value] as const] : [],
  )
  const [external_source, external_id] = [asText(task.external_source), asText(task.external_id)]
  const hasRoom = own.length < MAX_OBJECT_MEMBERS - 1 && JSON.stringify(own).length < 12_000
  const isExternal = external_source !== null && external_id !== null && hasRoom
  return { ...Object.fromEntries(own), ...(isExternal && { external_source, external_id }) }
}

const METADATA_KEY = /^[A-Za-z0-9_.:-]{1,40}$/

function toRecurrence(task: JsonObject): NonNullable<ImportedTask['recurrence']> | null {
  const { rrule, basis } = asJsonObject(task.recurrence)
  const rule = asText(rrule)
  if (rule === null || !isRecurrenceRule(rule)) return null
  return { rrule: rule, basis: basis === 'completion' ? 'completion' : 'due_date' }
}

/** Streams the values of the lines in a part of an archive. Throws an `UnreadableFileError` that names the line. */
async function* readJsonLines(bytes: AsyncIterable<Uint8Array>, filename: string): AsyncGenerator {
  let number = 0
  let rest = ''
  const damaged = (line: number, cause?: unknown) =>
    new UnreadableFileError('archive_damaged', { value: filename, number: line, cause })
  const parseLine = (line: string): unknown => {
    number += 1
    if (line.length > MAX_ELEMENT_LENGTH) throw damaged(number)
    try {
      return JSON.parse(line)
    } catch (error) {
      throw damaged(number, error)
    }
  }
  for await (const text of decodeText(bytes, false)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_ELEMENT_LENGTH) throw damaged(number + lines.length + 1)
    for (const line of lines) {
      yield parseLine(line)
      await giveWay()
    }
  }
  if (rest !== '') yield parseLine(rest)
}
