import { createHash } from 'node:crypto'
import { ApiError } from '#core/api-error.ts'
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
import { type AddFault, LINE_CHECKS, type LineCheck } from './line-checks.ts'
import {
  type ArchiveReader,
  archiveDamaged,
  type NumberedLine,
  readArchiveLines,
} from './open-archive.ts'
import { checkTask, findBlockerCycle, findParentCycle, indexTask } from './task-checks.ts'

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
export function* parseArchiveLines<P extends ArchivePart>(
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
