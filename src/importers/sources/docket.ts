import { InvalidTarError, readTarEntries, type TarEntry } from '#archive/format/tar.ts'
import {
  emptyImportedTask,
  type ImportedComment,
  type ImportedTask,
} from '#resources/imports/imported-task.ts'
import { MAX_STATUSES, type StatusCategory } from '#resources/projects/contract.ts'
import { readJsonLines } from '../formats/json-lines.ts'
import {
  asDay,
  asDue,
  asJsonObject,
  asJsonObjects,
  asText,
  type JsonObject,
} from '../formats/json-values.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { MAX_ROW_COMMENTS } from '../mapping/validate-row.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/** A Docket archive begins with the name of its first part. */
export const ARCHIVE_FIRST_FILENAME = 'workspace.jsonl'

const PARTS = ['members', 'projects', 'tags', 'tasks', 'comments'] as const
/** Something of each line is held in memory, however short it is. */
const MAX_LINES: Record<(typeof PARTS)[number], number> = {
  // Each has several statuses.
  projects: 10_000,
  ...{ members: 200_000, tags: 200_000, tasks: 200_000, comments: 200_000 },
}
/**
 * Comments follow their tasks in the archive, so all are held in memory while the tasks are read.
 */
const MAX_COMMENTS_BYTES = 64 * 1024 * 1024
const DAMAGED = 'The archive is damaged, or is none that Docket has made'

/**
 * Reads the archive of a workspace (docs/archive.md): the tasks of its projects with tags and
 * comments. Deleted tasks are skipped. Only `docket import` restores the rest of an archive.
 */
export const readDocketArchive: SourceReader = async (source, _, { timezone }) => {
  const parts = await openParts(source)
  const names = await readNames(parts)
  return { statuses: names.categories, rows: parseRows(parts, names, timezone) }
}

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
      throw new UnreadableFileError(`${DAMAGED}: ${error.message}.`)
    throw error
  }
  const linesOf = (part: (typeof PARTS)[number]) => {
    const name = filenameOf(part)
    const entry = entries.get(name)
    if (!entry) throw new UnreadableFileError(`${DAMAGED}: ${name} is missing.`)
    const tooMany = () =>
      new UnreadableFileError(`The archive has too many ${part}: use docket import.`)
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
    ...{ members: linesOf('members'), projects: linesOf('projects'), tags: linesOf('tags') },
    ...{ tasks: linesOf('tasks'), comments: linesOf('comments') },
  }
}

const filenameOf = (part: string) => `${part}.jsonl`

/** Names of the records that other lines refer to by id. */
interface ArchiveNames {
  /** The email address of a person, by which a member is recognized, or else the name. */
  people: ReadonlyMap<string, string>
  projects: ReadonlyMap<string, { name: string; statuses: ReadonlyMap<string, string> }>
  tags: ReadonlyMap<string, string>
  /** Categories by status name. The first project that has a status of the name decides. */
  categories: ReadonlyMap<string, StatusCategory>
}

async function readNames(parts: ArchivePartReaders): Promise<ArchiveNames> {
  const people = new Map<string, string>()
  for await (const one of parts.members()) {
    people.set(idOf(one), asText(one.email) ?? asText(one.name) ?? idOf(one))
  }
  const tags = new Map<string, string>()
  for await (const one of parts.tags()) tags.set(idOf(one), asText(one.name) ?? '')
  const projects = new Map<string, { name: string; statuses: Map<string, string> }>()
  const categories = new Map<string, StatusCategory>()
  for await (const one of parts.projects()) {
    const statuses = new Map<string, string>()
    for (const { key, name, category } of asJsonObjects(one.statuses).slice(0, MAX_STATUSES)) {
      const statusName = asText(name) ?? ''
      statuses.set(asText(key) ?? '', statusName)
      const statusCategory = CATEGORIES.find((it) => it === category)
      if (statusCategory && !categories.has(statusName)) categories.set(statusName, statusCategory)
    }
    projects.set(idOf(one), { name: asText(one.name) ?? '', statuses })
  }
  return { people, projects, tags, categories }
}

const CATEGORIES: readonly StatusCategory[] = [
  ...(['backlog', 'unstarted', 'started', 'completed', 'canceled'] as const),
]

async function* parseRows(
  parts: ArchivePartReaders,
  names: ArchiveNames,
  timezone: string,
): AsyncGenerator<ParsedRow> {
  const comments = await readComments(parts, names, timezone)
  const deleted = new Set<string>()
  for await (const task of parts.tasks()) if (task.deleted_at !== null) deleted.add(idOf(task))
  let number = 0
  for await (const task of parts.tasks()) {
    number += 1
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

async function readComments(
  { comments }: ArchivePartReaders,
  { people }: ArchiveNames,
  timezone: string,
): Promise<Map<string, ImportedComment[]>> {
  const byTask = new Map<string, ImportedComment[]>()
  for await (const { task_id, author_id, created_at, body } of comments()) {
    const taskId = asText(task_id)
    if (taskId === null) continue
    const ofTask = byTask.get(taskId) ?? []
    // Further comments would only use memory: the task is rejected for those that it has.
    if (ofTask.length > MAX_ROW_COMMENTS) continue
    const author = asText(author_id)
    ofTask.push({
      author: author && (people.get(author) ?? author),
      at: asDay(created_at, timezone),
      body: asText(body) ?? '',
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
  const seconds = Number(task.estimate_seconds ?? Number.NaN)
  const ids = (value: unknown) =>
    Array.isArray(value) ? value.flatMap((id) => asText(id) ?? []) : []
  return {
    ...emptyImportedTask(number),
    project: project?.name ?? '',
    title: asText(task.title) ?? '',
    description: asText(task.description),
    status: project?.statuses.get(asText(task.status) ?? '') ?? null,
    priority: PRIORITIES.find((one) => one === task.priority) ?? 'none',
    assignees: ids(task.assignee_ids).map((id) => people.get(id) ?? id),
    tags: ids(task.tag_ids).flatMap((id) => tags.get(id) ?? []),
    start_date: asDay(task.start_date, timezone),
    ...asDue(task.due_at ?? task.due_date, timezone),
    estimate_seconds: Number.isSafeInteger(seconds) ? seconds : null,
    parent: asText(task.parent_id),
    blocked_by: ids(task.blocked_by_ids),
  }
}

const PRIORITIES: readonly ImportedTask['priority'][] = ['none', 'low', 'medium', 'high', 'urgent']
const idOf = (line: JsonObject) => asText(line.id) ?? ''
