import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ApiCall } from '../../sdk/src/docket.ts'
import { type Docket, type DocketError, isDocketError } from '../../sdk/src/index.ts'
import type { CommandContext, CommandDefinition } from './command.ts'
import { readPersonalFile, stateFile, writePersonalFile } from './config.ts'
import { CommandFailure, EXIT_CODES } from './failures.ts'

/** A request that takes a write back, or a part of it. */
export interface UndoRequest extends Pick<ApiCall, 'method' | 'path' | 'body'> {
  /** The `version` that the write left: if somebody has changed the record since, nothing is undone. */
  version?: number
  /** The `version` before the write, which an earlier write may have left. */
  version_before?: number
  /** The path of the record in whose place the request makes another one. */
  replaces?: string
}

/** A write of the command line. */
interface JournalEntry {
  at: string
  /** The server and the person. */
  owner: string
  /** What was done, in words. */
  text: string
  /** Requests to send in this order, or why it cannot be undone. */
  undo: UndoRequest[] | string
}

/** A write that has been sent. */
interface FinishedWrite {
  data: unknown
  /** What has been done, in words. */
  text: string
  undo: UndoRequest[] | string
}

const MAX_ENTRIES = 200

const journalFile = (): string => stateFile('journal.jsonl')

function readJournal(): JournalEntry[] {
  const lines = (readPersonalFile(journalFile()) ?? '').split('\n')
  return lines.filter(Boolean).map((line): JournalEntry => JSON.parse(line))
}

const writeJournal = (entries: readonly JournalEntry[]): void =>
  writePersonalFile(journalFile(), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))

/** Appending is one system call, so that commands that run side by side do not lose each other's entries. */
function appendToJournal(entry: JournalEntry) {
  mkdirSync(dirname(journalFile()), { recursive: true, mode: 0o700 })
  appendFileSync(journalFile(), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  const entries = readJournal()
  if (entries.length > MAX_ENTRIES) writeJournal(entries.slice(-MAX_ENTRIES / 2))
}

/** Notes how to take back a write that has been sent. */
export function noteWrite(
  { connect }: CommandContext,
  { text, undo }: Omit<FinishedWrite, 'data'>,
) {
  const [summary = ''] = text.split('\n')
  appendToJournal({ at: new Date().toISOString(), owner: connect().owner, text: summary, undo })
}

/** Notes how to take a write back, and prints its result; a trial is only printed. */
export async function finishWrite(
  context: CommandContext,
  { data, text, undo }: FinishedWrite,
): Promise<void> {
  const { output, isDryRun } = context
  if (isDryRun) {
    return output.result(data, `Dry run, nothing was changed: ${text}`, { dry_run: true })
  }
  noteWrite(context, { text, undo })
  await output.result(data, text)
}

/** Prints requests that a dry run would have sent, for writes that the server cannot try out. */
export async function printRequests(
  { output }: CommandContext,
  requests: readonly UndoRequest[],
): Promise<void> {
  const lines = requests.map(({ method, path, body }) =>
    [method, path, ...(body === undefined ? [] : [JSON.stringify(body)])].join(' '),
  )
  const text = ['Dry run, nothing was changed. It would send:', ...lines].join('\n')
  await output.result({ requests }, text, { dry_run: true })
}

async function undo(context: CommandContext) {
  const { output, connect, isDryRun } = context
  const { docket, owner } = connect()
  const journal = readJournal()
  const entry = journal.findLast((one) => one.owner === owner)
  if (!entry) return output.result(null, 'There is nothing to undo.')
  if (typeof entry.undo === 'string') {
    if (!isDryRun) writeJournal(journal.filter((one) => one !== entry))
    throw notUndoable(entry, entry.undo)
  }
  if (isDryRun) return printRequests(context, entry.undo)
  const rest = journal.filter((one) => one !== entry)
  const earlier = journal.slice(0, journal.indexOf(entry))
  // Each request that has succeeded is forgotten at once: after a failure the others can be tried again.
  for (const request of [...entry.undo]) {
    try {
      await sendUndo(docket, request, earlier)
    } catch (error) {
      if (!isDocketError(error) || !FINAL_CODES.includes(error.code)) throw error
      writeJournal(rest)
      const why =
        error.code === 'not_found' ? 'It no longer exists.' : 'Somebody has changed it since.'
      throw notUndoable(entry, why, error)
    }
    entry.undo.shift()
    writeJournal(entry.undo.length > 0 ? journal : rest)
  }
  return output.result({ undone: entry.text }, `Undone: ${entry.text}`)
}

const notUndoable = ({ text }: JournalEntry, why: string, cause?: DocketError<string>) =>
  new CommandFailure(
    'not_undoable',
    `“${text}” cannot be undone. ${why} Run docket undo again for the write before it.`,
    cause?.code === 'version_mismatch' ? EXIT_CODES.conflict : EXIT_CODES.failed,
  )

/** Sends a request, and adapts the undoing of earlier writes to what it leaves. */
async function sendUndo(docket: Docket, request: UndoRequest, earlier: readonly JournalEntry[]) {
  const { method, path, body, version, version_before, replaces } = request
  const headers = version === undefined ? {} : { 'if-match': `"${version}"` }
  const call = { method, path, headers, ...(body !== undefined && { body }) }
  const reply = await docket.send<{ id: string; version?: number } | undefined>(call)
  if (!reply) return
  for (const other of earlier.flatMap(({ undo }) => (typeof undo === 'string' ? [] : undo))) {
    if (other.path === replaces) other.path = replaces.replace(/[^/]+$/, reply.id)
    const follows = other.path === path && other.version === version_before
    if (follows && reply.version !== undefined) other.version = reply.version
  }
}

/** Answers after which a request never succeeds: the record is gone, or not as the write left it. */
const FINAL_CODES = ['not_found', 'version_mismatch']

/** Takes back what the command line has written. */
export const UNDO_COMMAND: CommandDefinition = {
  name: 'undo',
  summary: 'Undo the last write of this command line',
  details:
    'Run it again for the write before. It changes nothing if somebody else has changed the record since. A timer that another one has stopped, a git branch, a raw request and events sent again cannot be undone.',
  isWrite: true,
  run: undo,
}
