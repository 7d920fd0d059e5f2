import { createHash } from 'node:crypto'
import { Refusal } from '#core/refusal.ts'
import type { Fault } from '#wire/fault.ts'
import { type Reader, readerOf } from '#wire/read.ts'
import { Census } from './census.ts'
import { CHECKS, type Fail } from './checks.ts'
import { LINES, type Lines, PARTS, type Part } from './lines.ts'
import { nameOfFile, nameOfPart } from './manifest.ts'
import { damaged, linesIn, type Numbered, type Opened } from './open.ts'
import { checkTask, meetTask, ownAncestor, ownBlocker } from './tasks.ts'

/** So many faults are told; the rest is left unread. */
const MOST_FAULTS = 20

/** An archive in which everything is as it must be. */
export interface Verified {
  archive: Opened
  workspace: Lines['workspace']
  census: Census
}

/**
 * Reads an archive to its last byte: sums, the form of each line, their order, what they name, and the
 * files. 409 `archive_damaged`; 422 `archive_invalid`, which tells what is wrong in which line.
 */
export async function verify(archive: Opened, told: (what: string) => void): Promise<Verified> {
  const census = new Census()
  const faults = new Faults()
  const looking: Looking = { archive, census, faults }
  const plainly = <P extends Exclude<Part, 'tasks'>>(part: P) => look(looking, part, CHECKS[part])
  let workspace: Lines['workspace'] | undefined
  let from = 0
  let sequence = 0
  for (const { part } of archive.manifest.parts) {
    told(`${part}, looking`)
    if (part === 'tasks') {
      await look(looking, part, meetTask)
      await look(looking, part, checkTask, true)
    } else if (part === 'workspace') {
      await look(looking, part, (line, _, fail) => {
        CHECKS.workspace(line, census, fail)
        workspace ??= line
        from = line.log_from_sequence
        sequence = from - 1
      })
    } else if (part === 'events') {
      await look(looking, part, (line, _, fail) => {
        sequence += 1
        if (line.event.sequence !== sequence) fail('event.sequence', `must be ${sequence}`)
        CHECKS.events(line, census, fail)
      })
    } else await plainly(part)
  }
  if (!workspace) throw damaged(`${nameOfPart('workspace')} is empty.`)
  if (archive.manifest.parts[0]?.lines !== 1) faults.note('workspace', 2, '', 'is one too many')
  if (sequence !== workspace.last_sequence) {
    faults.note(
      'events',
      sequence - from + 2,
      'event.sequence',
      'is missing: an event is not there',
    )
  }
  if (census.owners === 0) faults.note('members', 1, 'role', 'must be owner of an active member')
  refuseCircles(census, faults)
  faults.refuse()
  await lookAtFiles(looking, told)
  return { archive, workspace, census }
}

interface Looking {
  archive: Opened
  census: Census
  faults: Faults
}

type Check<P extends Part> = (line: Lines[P], census: Census, fail: Fail) => void

/** Looks at every line of a part; `again`: not for the first time. */
async function look<P extends Part>(
  { archive, census, faults }: Looking,
  part: P,
  check: Check<P>,
  again = false,
): Promise<void> {
  let before = ''
  for await (const batch of linesIn(archive, part)) {
    for (const { number, line, found } of readLines(part, batch)) {
      const fail: Fail = (field, why) => faults.note(part, number, field, why)
      for (const { field, message } of found) faults.add(part, number, field, message)
      if (found.length > 0) continue
      const key = keyOf(line)
      if (!again && key !== undefined) {
        if (key.id <= before) fail('id', 'must be greater than that of the line before')
        else if (census.ids.add(key.id.slice(-30)) === undefined) fail('id', 'is there already')
        before = key.id
      }
      check(line, census, fail)
    }
  }
}

/** What lines are in order of, if not of a number. Ids have 30 letters and stand at the end. */
function keyOf(line: object): { id: string } | undefined {
  const { id, task_id, kind } = line as Record<string, unknown>
  if (id === undefined) return undefined
  return { id: kind === undefined ? String(id) : `${task_id} ${id}` }
}

/** Lines as records; of one that is none, what is wrong with it. */
export function* readLines<P extends Part>(
  part: P,
  lines: readonly Numbered[],
): Generator<{ number: number; line: Lines[P]; found: readonly Fault[] }> {
  for (const { number, text } of lines) {
    const { value, faults } = READERS[part](parsed(text))
    yield { number, line: value as Lines[P], found: faults }
  }
}

/** How many lines become rows in one transaction. */
const AT_ONCE = 100

/** The lines of a part that was verified, some at a time. */
export async function* eachBatch<P extends Part>(
  archive: Opened,
  part: P,
): AsyncGenerator<Lines[P][]> {
  for await (const batch of linesIn(archive, part)) {
    for (let from = 0; from < batch.length; from += AT_ONCE) {
      const some = [...readLines(part, batch.slice(from, from + AT_ONCE))]
      yield some.map(({ line }) => line)
    }
  }
}

const READERS = Object.fromEntries(PARTS.map((part) => [part, readerOf(LINES[part])])) as Record<
  Part,
  Reader
>

/** What is no JSON is no object either, and told as that. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What is wrong in an archive, line by line. */
class Faults {
  readonly #list: Fault[] = []

  note(part: Part, line: number, field: string, why: string): void {
    this.add(part, line, field, `${field || 'The line'} ${why}.`)
  }

  add(part: Part, line: number, field: string, message: string): void {
    const told = message.replace(/^The body /, 'The line ')
    this.#list.push({
      field,
      code: 'invalid_value',
      message: `${nameOfPart(part)} line ${line}: ${told}`,
    })
    if (this.#list.length >= MOST_FAULTS) this.refuse()
  }

  refuse(): void {
    if (this.#list.length === 0) return
    const message = this.#list.map((one) => one.message).join('\n')
    throw new Refusal(422, 'archive_invalid', `${message}\nNothing was imported.`, {
      details: this.#list,
    })
  }
}

/** Tasks are numbered as their lines are. */
function refuseCircles(census: Census, faults: Faults): void {
  const round = 'leads round in a circle'
  const [below, behind] = [ownAncestor(census), ownBlocker(census)]
  if (below !== undefined) faults.note('tasks', below + 1, 'parent_id', round)
  if (behind !== undefined) faults.note('tasks', behind + 1, 'blocked_by_ids', round)
}

/** Holds each file against its line, and the number of files against that of the lines. */
async function lookAtFiles(
  { archive, census, faults }: Looking,
  told: (what: string) => void,
): Promise<void> {
  const { count, bytes, lost } = archive.manifest.files
  let [seen, size] = [0, 0]
  for await (const batch of linesIn(archive, 'attachments')) {
    for (const { number, line } of readLines('attachments', batch)) {
      const place = archive.fileOf(line.id)
      const isHere = line.file === 'here'
      if (isHere !== (place !== undefined)) {
        const why = isHere
          ? `says here, and ${nameOfFile(line.id)} is not`
          : 'says lost, and it is not'
        faults.note('attachments', number, 'file', why)
      }
      if (!place || !isHere) continue
      const sum = createHash('sha256')
      for await (const chunk of archive.bytesOf(place)) sum.update(chunk)
      if (place.size !== line.size_bytes || sum.digest('hex') !== line.sha256) {
        throw damaged(`${nameOfFile(line.id)} is not the file that was attached.`)
      }
      seen += 1
      size += place.size
      told(`files, ${seen} looked at`)
    }
  }
  faults.refuse()
  if (seen !== archive.files) throw damaged('There is a file that belongs to no attachment.')
  if (seen !== count || size !== bytes || census.filesLost !== lost) {
    throw damaged(`The manifest names ${count} files of ${bytes} bytes and ${lost} lost ones.`)
  }
}
