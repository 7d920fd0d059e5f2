import { createHash } from 'node:crypto'
import { ApiError } from '#core/api-error.ts'
import { foldCase } from '#lib/fold-case.ts'
import { validateRedirectUris } from '#resources/applications/internal.ts'
import { describeField, type FieldError } from '#wire/field-error.ts'
import { createSchemaParser, type SchemaParser } from '#wire/schema-parser.ts'
import { attachmentFilename, partFilename } from '../format/archive-manifest.ts'
import {
  ARCHIVE_PARTS,
  type ArchiveLines,
  type ArchivePart,
  LINE_SCHEMAS,
} from '../format/line-schemas.ts'
import { ArchiveIndex } from './archive-index.ts'
import {
  type ArchiveReader,
  archiveDamaged,
  type NumberedLine,
  readArchiveLines,
} from './open-archive.ts'

/** The limit for a workspace (docs/spec/api.md#types-and-codes). All applications become usable in one transaction. */
const MAX_APPLICATIONS = 50

/** Reports a fault of the current line. `why` follows the name of the field in the message. */
type AddFault = (field: string, why: string) => void

/** Checks a line against the lines before it, and adds the line to the index. */
type LineCheck<P extends ArchivePart> = (
  line: ArchiveLines[P],
  index: ArchiveIndex,
  fail: AddFault,
) => void

const UNKNOWN_REFERENCE = 'is not in this archive'
const DUPLICATE = 'is already on an earlier line'

/**
 * The checks of every part but the tasks, which need two passes because they may refer to later
 * tasks.
 */
const LINE_CHECKS: { [P in Exclude<ArchivePart, 'tasks'>]: LineCheck<P> } = {
  workspace: ({ last_sequence, log_from_sequence }, _, fail) => {
    if (log_from_sequence > last_sequence + 1)
      fail('log_from_sequence', 'is greater than `last_sequence`')
  },

  members: ({ id, email, role, removed_at }, index, fail) => {
    index.members.add(id)
    checkUnique(index, 'email', email, fail)
    if (role === 'owner' && removed_at === null) index.owners += 1
  },

  projects(line, index, fail) {
    const project = index.projects.add(line.id)
    if (project !== undefined) index.lastNumbers[project] = line.last_number
    for (const prefix of [line.prefix, ...line.former_prefixes])
      checkUnique(index, 'prefix', prefix, fail)
    for (const { key, category } of line.statuses) {
      index.facts.add(statusFact(line.id, key, category))
    }
    checkMembers(index, { lead_id: line.lead_id, created_by_id: line.created_by_id }, fail)
    for (const id of line.people_ids) checkMembers(index, { people_ids: id }, fail)
  },

  tags(line, index, fail) {
    const project = index.projects.numberOf(line.project_id)
    if (project === undefined) fail('project_id', UNKNOWN_REFERENCE)
    const tag = index.tags.add(line.id)
    if (tag !== undefined) index.projectOfTag[tag] = project ?? -1
    checkUnique(index, 'name', `${line.project_id} ${foldCase(line.name)}`, fail)
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
  },

  views({ project_id, created_by_id, only_for, pinned_by }, index, fail) {
    if (index.projects.numberOf(project_id) === undefined) fail('project_id', UNKNOWN_REFERENCE)
    checkMembers(index, { created_by_id, only_for: only_for || null }, fail)
    for (const { user_id } of pinned_by) checkMembers(index, { pinned_by: user_id }, fail)
  },

  templates(line, index, fail) {
    if (index.projects.numberOf(line.project_id) === undefined)
      fail('project_id', UNKNOWN_REFERENCE)
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
    for (const [at, { parent, blocked_by }] of line.tasks.entries()) {
      const isParentValid = at === 0 ? parent === null : parent !== null && parent < at
      const areBlockersValid = blocked_by.every((one) => one !== at && one < line.tasks.length)
      if (!isParentValid || !areBlockersValid)
        fail('tasks', 'must refer to earlier parents and to other tasks of the template')
    }
  },

  comments(line, index, fail) {
    const task = requireTask(line, index, fail)
    index.count('comments', task)
    checkMembers(index, { author_id: line.author_id }, fail)
    for (const id of line.mentions) checkMembers(index, { mentions: id }, fail)
  },

  time_entries(line, index, fail) {
    const task = requireTask(line, index, fail)
    index.count('seconds', task, line.duration_seconds ?? 0)
    checkMembers(index, { user_id: line.user_id, created_by_id: line.created_by_id }, fail)
    if (line.duration_seconds !== null) return
    if (line.started_at === null) fail('started_at', 'is required for a running timer')
    checkUnique(index, 'user_id', `of a timer ${line.user_id}`, fail)
  },

  activity(line, index, fail) {
    requireTask(line, index, fail)
    checkMembers(index, { actor_id: line.actor_id }, fail)
  },

  events({ former_project_id, event }, index, fail) {
    const projectIds = { 'event.project_id': event.project_id, former_project_id }
    for (const [field, id] of Object.entries(projectIds)) {
      if (id !== null && index.projects.numberOf(id) === undefined) fail(field, UNKNOWN_REFERENCE)
    }
    if (index.ids.numberOf(event.workspace_id) !== 0) {
      fail('event.workspace_id', 'must be the id of this workspace')
    }
    if (index.ids.add(event.id) === undefined) fail('event.id', DUPLICATE)
  },

  audit: () => {},

  webhooks(line, index, fail) {
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
    for (const id of line.project_ids ?? []) {
      if (index.projects.numberOf(id) === undefined) fail('project_ids', UNKNOWN_REFERENCE)
    }
  },

  applications(line, index, fail) {
    index.applications += 1
    if (index.applications > MAX_APPLICATIONS) {
      fail('id', `exceeds the limit of ${MAX_APPLICATIONS} applications`)
    }
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
    for (const { field, message } of validateRedirectUris(line.redirect_uris, line.type)) {
      fail(field, `is invalid: ${message}`)
    }
  },

  attachments(line, index, fail) {
    index.count('attachments', requireTask(line, index, fail))
    index.attachmentBytes += line.size_bytes
    if (line.file === 'here') index.presentFiles += 1
    else index.lostFiles += 1
    checkMembers(index, { created_by_id: line.created_by_id }, fail)
  },
}

/** The key of a project status among the facts of the index. */
const statusFact = (project_id: string, key: string, category: string): string =>
  `status ${project_id} ${key} ${category}`

/** Reports a value that an earlier line already has in this field. */
function checkUnique(index: ArchiveIndex, field: string, value: string, fail: AddFault): void {
  if (index.facts.add(`${field} ${value}`) === undefined) fail(field, DUPLICATE)
}

/** Reports ids of people who are not among the members. */
function checkMembers(
  index: ArchiveIndex,
  userIds: Readonly<Record<string, string | null>>,
  fail: AddFault,
): void {
  for (const [field, id] of Object.entries(userIds)) {
    if (id !== null && index.members.numberOf(id) === undefined) {
      fail(field, 'is not in members.jsonl')
    }
  }
}

function requireTask(
  { task_id }: { task_id: string },
  index: ArchiveIndex,
  fail: AddFault,
): number {
  const task = index.tasks.numberOf(task_id)
  if (task === undefined) fail('task_id', UNKNOWN_REFERENCE)
  return task ?? 0
}

type ArchivedTask = ArchiveLines['tasks']

/** First pass: adds a task to the index, so that other lines can refer to it. */
function indexTask({ id, project_id }: ArchivedTask, index: ArchiveIndex, fail: AddFault): void {
  const project = index.projects.numberOf(project_id)
  if (project === undefined) fail('project_id', 'is not in this archive')
  const task = index.tasks.add(id)
  if (task !== undefined) index.projectOfTask[task] = project ?? -1
}

/** Second pass: checks a task against all others. */
function checkTask(line: ArchivedTask, index: ArchiveIndex, fail: AddFault): void {
  const { id, project_id, status, status_category, deleted_at } = line
  const task = index.tasks.numberOf(id) ?? -1
  const project = index.projectOfTask[task] ?? -1
  const tags = line.tag_ids.map((tag_id) => checkTag(tag_id, project, index, fail))
  for (const { project_id, number } of [line, ...line.former_numbers]) {
    checkNumber(project_id, number, index, fail)
  }
  checkUnique(index, 'position', `${project_id} ${line.position}`, fail)
  checkMembers(
    index,
    { created_by_id: line.created_by_id, completed_by_id: line.completed_by_id },
    fail,
  )
  for (const user_id of line.assignee_ids) checkMembers(index, { assignee_ids: user_id }, fail)
  const parent = checkParent(line, project, index, fail)
  index.parents[task] = parent ?? -1
  for (const blocker_id of line.blocked_by_ids) {
    const blocker = index.tasks.numberOf(blocker_id)
    if (blocker === undefined) fail('blocked_by_ids', 'is not in this archive')
    index.links[0].push(task)
    index.links[1].push(blocker ?? task)
  }
  if (deleted_at !== null) return
  if (index.facts.numberOf(statusFact(project_id, status, status_category)) === undefined) {
    fail('status', 'must be a status of the project with this category')
  }
  if (line.external_id !== null || line.external_source !== null) {
    checkUnique(index, 'external_id', `${line.external_source} ${line.external_id}`, fail)
  }
  index.countLiveTask(project, status_category, tags)
  if (parent === undefined) return
  index.count('subtasks', parent)
  if (status_category === 'completed') index.count('completed', parent)
}

function checkTag(tag_id: string, project: number, index: ArchiveIndex, fail: AddFault): number {
  const tag = index.tags.numberOf(tag_id) ?? -1
  if (tag === -1 || index.projectOfTag[tag] !== project) {
    fail('tag_ids', 'must be a tag of the project')
  }
  return Math.max(tag, 0)
}

function checkNumber(
  project_id: string,
  number: number,
  index: ArchiveIndex,
  fail: AddFault,
): void {
  const project = index.projects.numberOf(project_id)
  if (project === undefined) fail('former_numbers', 'is not in this archive')
  else if (number > (index.lastNumbers[project] ?? 0)) {
    fail('number', 'is greater than the `last_number` of the project')
  }
  checkUnique(index, 'number', `${project_id} ${number}`, fail)
}

/** The parent of a deleted task may have been purged already. */
function checkParent(
  { parent_id, deleted_at }: ArchivedTask,
  project: number,
  index: ArchiveIndex,
  fail: AddFault,
) {
  if (parent_id === null) return undefined
  const parent = index.tasks.numberOf(parent_id)
  if (deleted_at !== null) return parent
  if (parent === undefined) fail('parent_id', 'is not in this archive')
  else if (index.projectOfTask[parent] !== project) {
    fail('parent_id', 'must be a task of the same project')
  }
  return parent
}

/** The number of a task in a cycle of parents, if there is one. */
function findParentCycle({ parents }: ArchiveIndex): number | undefined {
  const links: TaskLinks = [[], []]
  for (const [task, parent] of parents.entries()) {
    if (parent === -1) continue
    links[0].push(task)
    links[1].push(parent)
  }
  return findCycle(links, parents.length)
}

/** The number of a task in a cycle of blockers, if there is one. */
const findBlockerCycle = ({ links, parents }: ArchiveIndex): number | undefined =>
  findCycle(links, parents.length)

type TaskLinks = ArchiveIndex['links']

/** Topological sort (Kahn): removes nodes without incoming links until only cycles are left. */
function findCycle([from, to]: TaskLinks, count: number): number | undefined {
  const incoming = new Int32Array(count)
  for (const one of to) incoming[one] = (incoming[one] ?? 0) + 1
  const order = Int32Array.from(from.keys()).sort((a, b) => (from[a] ?? 0) - (from[b] ?? 0))
  const offsets = new Int32Array(count + 1)
  for (const one of from) offsets[one + 1] = (offsets[one + 1] ?? 0) + 1
  for (let at = 0; at < count; at += 1) {
    offsets[at + 1] = (offsets[at + 1] ?? 0) + (offsets[at] ?? 0)
  }
  const free: number[] = []
  for (const [one, links] of incoming.entries()) if (links === 0) free.push(one)
  for (let one = free.pop(); one !== undefined; one = free.pop()) {
    for (let at = offsets[one] ?? 0; at < (offsets[one + 1] ?? 0); at += 1) {
      const next = to[order[at] ?? 0] ?? 0
      incoming[next] = (incoming[next] ?? 0) - 1
      if (incoming[next] === 0) free.push(next)
    }
  }
  const cyclic = incoming.findIndex((links) => links > 0)
  return cyclic === -1 ? undefined : cyclic
}

/** Reading stops after this many faults. */
const MAX_FAULTS = 20

/** An archive that has passed all checks. */
export interface VerifiedArchive {
  archive: ArchiveReader
  workspace: ArchiveLines['workspace']
  index: ArchiveIndex
}

/**
 * Reads an archive to its last byte and checks its hashes, the schema of each line, the order and
 * the references of lines, and the files. Throws 409 `archive_damaged`, or 422 `archive_invalid`
 * with the fault of each line.
 */
export async function verifyArchive(
  archive: ArchiveReader,
  onProgress: (what: string) => void,
): Promise<VerifiedArchive> {
  const index = new ArchiveIndex()
  const faults = new ArchiveFaults()
  const context: VerifyContext = { archive, index, faults }
  const checkOther = <P extends Exclude<ArchivePart, 'tasks'>>(part: P) =>
    checkLines(context, part, LINE_CHECKS[part])
  let workspace: ArchiveLines['workspace'] | undefined
  let from = 0
  let sequence = 0
  for (const { part } of archive.manifest.parts) {
    onProgress(`checking ${part}`)
    if (part === 'tasks') {
      await checkLines(context, part, indexTask)
      await checkLines(context, part, checkTask, true)
    } else if (part === 'workspace') {
      await checkLines(context, part, (line, _, fail) => {
        LINE_CHECKS.workspace(line, index, fail)
        workspace ??= line
        from = line.log_from_sequence
        sequence = from - 1
      })
    } else if (part === 'events') {
      await checkLines(context, part, (line, _, fail) => {
        sequence += 1
        if (line.event.sequence !== sequence) fail('event.sequence', `must be ${sequence}`)
        LINE_CHECKS.events(line, index, fail)
      })
    } else await checkOther(part)
  }
  if (!workspace) throw archiveDamaged(`${partFilename('workspace')} is empty.`)
  if (archive.manifest.parts[0]?.lines !== 1)
    faults.note('workspace', 2, '', 'is not allowed, because an archive has one workspace')
  if (sequence !== workspace.last_sequence) {
    faults.note(
      'events',
      sequence - from + 2,
      'event.sequence',
      'must continue without a gap up to `last_sequence`',
    )
  }
  if (index.owners === 0)
    faults.note('members', 1, 'role', 'must be owner for at least one active member')
  checkCycles(index, faults)
  faults.throwIfAny()
  await checkFiles(context, onProgress)
  return { archive, workspace, index }
}

interface VerifyContext {
  archive: ArchiveReader
  index: ArchiveIndex
  faults: ArchiveFaults
}

/** Checks every line of a part. The second pass does not check the order and the ids again. */
async function checkLines<P extends ArchivePart>(
  { archive, index, faults }: VerifyContext,
  part: P,
  check: LineCheck<P>,
  isSecondPass = false,
): Promise<void> {
  let previousId = ''
  for await (const batch of readArchiveLines(archive, part)) {
    for (const { number, line, lineFaults } of parseArchiveLines(part, batch)) {
      const fail: AddFault = (field, why) => faults.note(part, number, field, why)
      for (const { field, message } of lineFaults) faults.add(part, number, field, message)
      if (lineFaults.length > 0) continue
      const key = sortKeyOf(line)
      if (!isSecondPass && key !== undefined) {
        if (key.id <= previousId) fail('id', 'must be greater than on the line before')
        else if (index.ids.add(key.id.slice(-30)) === undefined) fail('id', 'occurs twice')
        previousId = key.id
      }
      check(line, index, fail)
    }
  }
}

/** The sort key of lines that are ordered by id. It ends with the id, which has 30 characters. */
function sortKeyOf(line: object): { id: string } | undefined {
  const { id, task_id, kind } = line as Record<string, unknown>
  if (id === undefined) return undefined
  return { id: kind === undefined ? String(id) : `${task_id} ${id}` }
}

/** Parses lines by the schema of their part. */
function* parseArchiveLines<P extends ArchivePart>(
  part: P,
  lines: readonly NumberedLine[],
): Generator<{ number: number; line: ArchiveLines[P]; lineFaults: readonly FieldError[] }> {
  for (const { number, text } of lines) {
    const { value, errors } = READERS[part](parseJson(text))
    yield { number, line: value as ArchiveLines[P], lineFaults: errors }
  }
}

/** The lines that are inserted in one transaction. */
const BATCH_SIZE = 100

/** Streams the lines of a verified part in batches. */
export async function* readLineBatches<P extends ArchivePart>(
  archive: ArchiveReader,
  part: P,
): AsyncGenerator<ArchiveLines[P][]> {
  for await (const batch of readArchiveLines(archive, part)) {
    for (let from = 0; from < batch.length; from += BATCH_SIZE) {
      const parsed = [...parseArchiveLines(part, batch.slice(from, from + BATCH_SIZE))]
      yield parsed.map(({ line }) => line)
    }
  }
}

const READERS = Object.fromEntries(
  ARCHIVE_PARTS.map((part) => [part, createSchemaParser(LINE_SCHEMAS[part])]),
) as Record<ArchivePart, SchemaParser>

/** Returns null for invalid JSON, which the schema then reports as no object. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Collects the faults of an archive, line by line. */
class ArchiveFaults {
  readonly #list: FieldError[] = []

  note(part: ArchivePart, line: number, field: string, why: string): void {
    this.add(part, line, field, `${field ? describeField(field) : 'The line'} ${why}.`)
  }

  add(part: ArchivePart, line: number, field: string, message: string): void {
    const lineMessage = message.replace(/^The body /, 'The line ')
    this.#list.push({
      field,
      code: 'invalid_value',
      message: `${partFilename(part)} line ${line}: ${lineMessage}`,
    })
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

/** Reports cycles of parents and of blockers. Tasks have the numbers of their lines, from 0 on. */
function checkCycles(index: ArchiveIndex, faults: ArchiveFaults): void {
  const why = 'forms a cycle'
  const [ancestor, blocker] = [findParentCycle(index), findBlockerCycle(index)]
  if (ancestor !== undefined) faults.note('tasks', ancestor + 1, 'parent_id', why)
  if (blocker !== undefined) faults.note('tasks', blocker + 1, 'blocked_by_ids', why)
}

/** Compares each file with its line, and the counts of files with the manifest. */
async function checkFiles(
  { archive, index, faults }: VerifyContext,
  onProgress: (what: string) => void,
): Promise<void> {
  const { count, bytes, lost } = archive.manifest.files
  let [checked, checkedBytes] = [0, 0]
  for await (const batch of readArchiveLines(archive, 'attachments')) {
    for (const { number, line } of parseArchiveLines('attachments', batch)) {
      const entry = archive.attachmentEntry(line.id)
      const isExpected = line.file === 'here'
      if (isExpected !== (entry !== undefined)) {
        const why = isExpected
          ? `is here, but ${attachmentFilename(line.id)} is missing`
          : 'is lost, but the archive contains the file'
        faults.note('attachments', number, 'file', why)
      }
      if (!entry || !isExpected) continue
      const hash = createHash('sha256')
      for await (const chunk of archive.readBytes(entry)) hash.update(chunk)
      if (entry.size !== line.size_bytes || hash.digest('hex') !== line.sha256) {
        throw archiveDamaged(`${attachmentFilename(line.id)} does not match its checksum.`)
      }
      checked += 1
      checkedBytes += entry.size
      onProgress(`${checked} files checked`)
    }
  }
  faults.throwIfAny()
  if (checked !== archive.attachmentCount)
    throw archiveDamaged('A file does not belong to any attachment.')
  if (checked !== count || checkedBytes !== bytes || index.lostFiles !== lost) {
    throw archiveDamaged(
      `The manifest lists ${count} files of ${bytes} bytes and ${lost} lost ones.`,
    )
  }
}
