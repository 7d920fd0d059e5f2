import { ApiError } from '#core/api-error.ts'
import { validateRedirectUris } from '#resources/applications/internal.ts'
import { describeField, type FieldError } from '#wire/field-error.ts'
import { createSchemaParser, type SchemaParser } from '#wire/schema-parser.ts'
import { partFilename } from '../format/archive-manifest.ts'
import {
  ARCHIVE_PARTS,
  type ArchiveLines,
  type ArchivePart,
  definitionOf,
  schemaOf,
} from '../format/line-schemas.ts'
import { type ArchiveReader, readArchiveLines } from './open-archive.ts'

/** The limit for a workspace (docs/spec/api.md#types-and-codes). All applications become usable in one transaction. */
const MAX_APPLICATIONS = 50
/** Reading stops after this many faults. */
const MAX_FAULTS = 20

export const UNKNOWN_REFERENCE = 'is not in this archive'
export const DUPLICATE = 'is already on an earlier line'

/** Collects the faults of an archive. */
export class ArchiveFaults {
  readonly #list: FieldError[] = []

  get hasAny(): boolean {
    return this.#list.length > 0
  }

  /** Adds a fault of a line, counted from 1, or of a record by its id. `why` follows the field in the message. */
  note(part: ArchivePart, at: number | string, field: string, why: string): void {
    this.add(part, at, field, `${field ? describeField(field) : 'The line'} ${why}.`)
  }

  add(part: ArchivePart, at: number | string, field: string, text: string): void {
    const where = typeof at === 'number' ? `line ${at}` : at
    const message = `${partFilename(part)} ${where}: ${text.replace(/^The body /, 'The line ')}`
    this.#list.push({ field, code: 'invalid_value', message })
    if (this.#list.length >= MAX_FAULTS) this.throwIfAny()
  }

  throwIfAny(): void {
    if (this.#list.length === 0) return
    const message = this.#list.map((one) => one.message).join('\n')
    throw new ApiError(422, 'archive_invalid', `${message}\nNothing was imported.`, {
      details: this.#list,
    })
  }
}

/**
 * Links from a task to its parent, or to its blockers. They may lead to later lines, so they are checked
 * once all tasks are in the database. Only tasks with a link take memory.
 */
class TaskLinks {
  readonly #numbers = new Map<string, number>()
  readonly #from: number[] = []
  readonly #to: number[] = []

  add(from: string, to: string): void {
    this.#from.push(this.#numberOf(from))
    this.#to.push(this.#numberOf(to))
  }

  /** All links in batches. */
  *batches(size: number): Generator<{ from: string; to: string }[]> {
    const ids = [...this.#numbers.keys()]
    const idAt = (numbers: readonly number[], at: number) => ids[numbers[at] ?? -1] ?? ''
    for (let start = 0; start < this.#from.length; start += size) {
      const length = Math.min(size, this.#from.length - start)
      yield Array.from({ length }, (_, n) => ({
        from: idAt(this.#from, start + n),
        to: idAt(this.#to, start + n),
      }))
    }
  }

  /** A task in a cycle, if there is one. Removes tasks that nothing leads to until only cycles are left (Kahn). */
  findCycle(): string | undefined {
    const targets = new Map<number, number[]>()
    const incoming = new Int32Array(this.#numbers.size)
    for (const [at, from] of this.#from.entries()) {
      const to = this.#to[at] ?? 0
      const list = targets.get(from)
      if (list) list.push(to)
      else targets.set(from, [to])
      incoming[to] = (incoming[to] ?? 0) + 1
    }
    const free = [...incoming.keys()].filter((task) => incoming[task] === 0)
    for (let task = free.pop(); task !== undefined; task = free.pop()) {
      for (const to of targets.get(task) ?? []) {
        incoming[to] = (incoming[to] ?? 0) - 1
        if (incoming[to] === 0) free.push(to)
      }
    }
    const cyclic = incoming.findIndex((links) => links > 0)
    return cyclic === -1 ? undefined : [...this.#numbers.keys()][cyclic]
  }

  #numberOf(id: string): number {
    const number = this.#numbers.get(id) ?? this.#numbers.size
    this.#numbers.set(id, number)
    return number
  }
}

/** What the lines so far say of records that other lines refer to: those of which there are few, and links. */
export class ArchiveRecords {
  readonly workspace: ArchiveLines['workspace']
  readonly people = new Set<string>()
  readonly emails = new Set<string>()
  owners = 0
  readonly projects = new Map<string, { lastNumber: number; statuses: Set<string> }>()
  /** The projects of tags. */
  readonly tags = new Map<string, string>()
  readonly parents = new TaskLinks()
  readonly blockers = new TaskLinks()
  /** The sequence that the next event must have. */
  nextSequence: number
  applications = 0
  attachmentBytes = 0
  lostFiles = 0

  constructor(workspace: ArchiveLines['workspace']) {
    this.workspace = workspace
    this.nextSequence = workspace.log_from_sequence
  }
}

/** Reports a fault of the current line. */
type AddFault = (field: string, why: string) => void

type LineCheck<P extends ArchivePart> = (
  line: ArchiveLines[P],
  records: ArchiveRecords,
  fail: AddFault,
) => void

/** The ids in a field, which is an id, null, empty, a list of ids, or of objects with one. */
function idsIn(line: object, field: string, key: string): unknown[] {
  let value: unknown = line
  for (const name of field.split('.')) value = Object(value)[name]
  const ids = [value].flat().map((one) => (typeof one === 'object' && one ? Object(one)[key] : one))
  return ids.filter((id) => id !== null && id !== '')
}

/** Checks a line against the lines before it, and adds it to them. */
function checkLine<P extends ArchivePart>(
  part: P,
  line: ArchiveLines[P],
  records: ArchiveRecords,
  fail: AddFault,
): void {
  const { people = [], projects = [] } = part === 'workspace' ? {} : definitionOf(part)
  for (const field of people) {
    const isKnown = (id: unknown) => records.people.has(String(id))
    if (!idsIn(line, field, 'user_id').every(isKnown)) fail(field, 'is not in members.jsonl')
  }
  for (const field of projects) {
    const isKnown = (id: unknown) => records.projects.has(String(id))
    if (!idsIn(line, field, 'project_id').every(isKnown)) fail(field, UNKNOWN_REFERENCE)
  }
  LINE_CHECKS[part]?.(line, records, fail)
}

const LINE_CHECKS: { [P in ArchivePart]?: LineCheck<P> } = {
  members({ id, email, role, removed_at }, records, fail) {
    if (records.emails.has(email)) fail('email', DUPLICATE)
    records.emails.add(email)
    records.people.add(id)
    if (role === 'owner' && removed_at === null) records.owners += 1
  },

  projects({ id, last_number, statuses }, { projects }) {
    const keys = statuses.map(({ key, category }) => `${key} ${category}`)
    projects.set(id, { lastNumber: last_number, statuses: new Set(keys) })
  },

  tags({ id, project_id }, { tags }) {
    tags.set(id, project_id)
  },

  templates({ tasks }, _, fail) {
    for (const [at, { parent, blocked_by }] of tasks.entries()) {
      const isParentValid = at === 0 ? parent === null : parent !== null && parent < at
      const areBlockersValid = blocked_by.every((one) => one !== at && one < tasks.length)
      if (!isParentValid || !areBlockersValid)
        fail('tasks', 'must refer to earlier parents and to other tasks of the template')
    }
  },

  tasks(line, { projects, tags, parents, blockers }, fail) {
    const { id, status, status_category, deleted_at, parent_id } = line
    for (const { project_id, number } of [line, ...line.former_numbers]) {
      if (number > (projects.get(project_id)?.lastNumber ?? number))
        fail('number', 'is greater than the `last_number` of the project')
    }
    if (line.tag_ids.some((tag) => tags.get(tag) !== line.project_id))
      fail('tag_ids', 'must be a tag of the project')
    for (const blocker of line.blocked_by_ids) blockers.add(id, blocker)
    // The parent of a deleted task may have been purged already.
    if (deleted_at !== null) return
    if (parent_id !== null) parents.add(id, parent_id)
    if (!projects.get(line.project_id)?.statuses.has(`${status} ${status_category}`))
      fail('status', 'must be a status of the project with this category')
  },

  time_entries({ duration_seconds, started_at }, _, fail) {
    if (duration_seconds === null && started_at === null)
      fail('started_at', 'is required for a running timer')
  },

  events({ event }, records, fail) {
    if (event.sequence !== records.nextSequence)
      fail('event.sequence', `must be ${records.nextSequence}`)
    records.nextSequence += 1
    if (event.workspace_id !== records.workspace.id)
      fail('event.workspace_id', 'must be the id of this workspace')
  },

  applications({ redirect_uris, type }, records, fail) {
    records.applications += 1
    if (records.applications > MAX_APPLICATIONS)
      fail('id', `exceeds the limit of ${MAX_APPLICATIONS} applications`)
    for (const { field, message } of validateRedirectUris(redirect_uris, type)) {
      fail(field, `is invalid: ${message}`)
    }
  },

  attachments({ size_bytes, file }, records) {
    records.attachmentBytes += size_bytes
    if (file === 'lost') records.lostFiles += 1
  },
}

/** A line of a part with its number, which counts from 1. */
export interface ArchiveLine<P extends ArchivePart> {
  number: number
  line: ArchiveLines[P]
}

/** The lines that are inserted in one transaction. */
const BATCH_SIZE = 100

/** Streams the lines of a part that their schema accepts, in batches; `onFaults` gets the faults of the others. */
export async function* readLineBatches<P extends ArchivePart>(
  archive: ArchiveReader,
  part: P,
  onFaults: (number: number, errors: readonly FieldError[]) => void = () => {},
): AsyncGenerator<ArchiveLine<P>[]> {
  for await (const chunk of readArchiveLines(archive, part)) {
    for (let from = 0; from < chunk.length; from += BATCH_SIZE) {
      const batch: ArchiveLine<P>[] = []
      for (const { number, text } of chunk.slice(from, from + BATCH_SIZE)) {
        const { value, errors } = READERS[part](parseJson(text))
        if (errors.length > 0) onFaults(number, errors)
        else batch.push({ number, line: value as ArchiveLines[P] })
      }
      yield batch
    }
  }
}

const READERS = Object.fromEntries(
  ARCHIVE_PARTS.map((part) => [part, createSchemaParser(schemaOf(part))]),
) as Record<ArchivePart, SchemaParser>

/** Returns null for invalid JSON, which the schema then reports as no object. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Streams the checked lines of a part. Faults of lines, of their order and of what they refer to are noted. */
export async function* readCheckedLines<P extends ArchivePart>(
  archive: ArchiveReader,
  part: P,
  records: ArchiveRecords,
  faults: ArchiveFaults,
): AsyncGenerator<ArchiveLine<P>[]> {
  let previousKey = ''
  const batches = readLineBatches(archive, part, (number, errors) => {
    for (const { field, message } of errors) faults.add(part, number, field, message)
  })
  for await (const batch of batches) {
    for (const { number, line } of batch) {
      const fail: AddFault = (field, why) => faults.note(part, number, field, why)
      const key = sortKeyOf(line)
      if (key !== undefined && key <= previousKey)
        fail('id', 'must be greater than on the line before')
      previousKey = key ?? ''
      checkLine(part, line, records, fail)
    }
    yield batch
  }
}

/** The sort key of lines that are ordered by id: activity first by its task. */
function sortKeyOf(line: object): string | undefined {
  const { id, task_id, kind } = line as Record<string, unknown>
  if (id === undefined) return undefined
  return kind === undefined ? String(id) : `${task_id} ${id}`
}
