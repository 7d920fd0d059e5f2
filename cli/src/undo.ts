import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ApiCall } from '../../sdk/src/docket.ts'
import type { Docket, Task } from '../../sdk/src/index.ts'
import type { CommandContext, CommandDefinition } from './command.ts'
import { readPersonalFile, stateFile, writePersonalFile } from './config.ts'
import { CommandFailure, describeFailure, EXIT_CODES } from './failures.ts'
import { clean, formatJson } from './output.ts'

/** A request that takes a write back, or a part of it. */
export interface UndoRequest extends Pick<ApiCall, 'method' | 'path' | 'body'> {
  /** The `version` that the write left: if somebody has changed the record since, nothing is undone. */
  version?: number
  /** The `updated_at` that the write left, for a record without `version`. */
  updated_at?: string
  /** The `version` before the write, which an earlier write may have left. */
  version_before?: number
  /** The path of the record in whose place the request makes another one. */
  replaces?: string
}

/** A write of the command line. */
interface JournalEntry {
  id: string
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
  return (readPersonalFile(journalFile()) ?? '').split('\n').flatMap(parseEntry)
}

/** An entry; none for a line that a crash or a full disk has torn. */
function parseEntry(line: string): JournalEntry[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

const writeJournal = (entries: readonly JournalEntry[]): void =>
  writePersonalFile(journalFile(), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))

/** Appending is one system call, so that commands that run side by side do not lose each other's entries. */
function appendToJournal(entry: JournalEntry) {
  mkdirSync(dirname(journalFile()), { recursive: true, mode: 0o700 })
  // The line before may be torn, and have no end.
  appendFileSync(journalFile(), `\n${JSON.stringify(entry)}\n`, { mode: 0o600 })
  const entries = readJournal()
  if (entries.length > MAX_ENTRIES) writeJournal(entries.slice(-MAX_ENTRIES / 2))
}

/**
 * Notes how to take back a write that has been sent. The command does not fail if it cannot: a script would
 * take that for a failure of the write, and write again.
 */
export function noteWrite(
  { connect }: CommandContext,
  { text, undo }: Omit<FinishedWrite, 'data'>,
) {
  const [summary = ''] = clean(text).split('\n')
  const at = new Date().toISOString()
  try {
    appendToJournal({ id: randomUUID(), at, owner: connect().owner, text: summary, undo })
  } catch (error) {
    process.stderr.write(`docket: “${summary}” cannot be undone: ${clean(String(error))}\n`)
  }
}

/** Notes how to take a write back, and prints its result; a trial is only printed. */
export async function finishWrite(context: CommandContext, write: FinishedWrite): Promise<void> {
  const { output, isDryRun } = context
  const { data, text, undo } = write
  if (isDryRun) {
    const trial = output.wrap(`Dry run, nothing was changed: ${text}`)
    return output.result(data, trial, { dry_run: true })
  }
  noteWrite(context, { text, undo })
  await output.result(data, output.wrap(text))
}

/** Prints requests that a dry run would have sent, for writes that the server cannot try out. */
export async function printRequests(
  { output }: CommandContext,
  requests: readonly UndoRequest[],
): Promise<void> {
  const lines = requests.map(({ method, path, body }) =>
    [method, path, ...(body === undefined ? [] : [formatJson(body)])].join(' '),
  )
  const text = ['Dry run, nothing was changed. It would send:', ...lines].join('\n')
  await output.result({ requests }, text, { dry_run: true })
}

async function undo(context: CommandContext) {
  const { output, connect, isDryRun } = context
  const { docket, owner } = connect()
  const entry = readJournal().findLast((one) => one.owner === owner)
  if (!entry) return output.result(null, 'There is nothing to undo.')
  const { undo: requests } = entry
  if (typeof requests === 'string') {
    if (!isDryRun) updateEntry(entry, [])
    throw notUndoable(entry, requests)
  }
  if (isDryRun) {
    const text = `Dry run, nothing was changed. It would undo: ${entry.text}`
    return output.result({ requests }, output.wrap(text), { dry_run: true })
  }
  try {
    // All before the first request, so that a refusal leaves everything as it is.
    const records = await Promise.all(requests.map((one) => readForDeletion(docket, one)))
    for (const [at, request] of requests.entries()) {
      const rest = requests.slice(at + 1)
      const reply = await sendUndo(docket, request, records[at], `${entry.id}-${rest.length}`)
      // Each request that has succeeded is forgotten at once: after a failure the others can be tried again.
      updateEntry(entry, rest, (other) => reply && adaptUndo(other, request, reply))
    }
  } catch (error) {
    const failure = describeFailure(error)
    const { code = '', message = '' } = failure?.error ?? {}
    if (!FINAL_CODES.includes(code)) throw error
    updateEntry(entry, [])
    throw notUndoable(entry, REASONS[code] ?? message, failure?.exitCode)
  }
  return output.result({ undone: entry.text }, output.wrap(`Undone: ${entry.text}`))
}

/**
 * Leaves the rest of an entry in the journal, or removes it, and adapts the requests of the others. The journal
 * is read again, because other commands may have written to it meanwhile.
 */
function updateEntry(
  { id }: JournalEntry,
  rest: UndoRequest[],
  adapt: (other: UndoRequest) => void = () => {},
) {
  const entries = readJournal().flatMap((one) => {
    if (one.id === id) return rest.length > 0 ? [{ ...one, undo: rest }] : []
    if (typeof one.undo !== 'string') one.undo.forEach(adapt)
    return [one]
  })
  writeJournal(entries)
}

const notUndoable = ({ text }: JournalEntry, why: string, exitCode?: number) =>
  new CommandFailure(
    'not_undoable',
    `“${text}” cannot be undone. ${why} Run docket undo again for the write before it.`,
    exitCode,
  )

/** Reads the record that a request would delete. Throws if the deletion would destroy later work. */
async function readForDeletion(
  docket: Docket,
  { method, path, updated_at }: UndoRequest,
): Promise<Partial<Task> | undefined> {
  if (method !== 'DELETE') return undefined
  const record = await docket.send<Partial<Task>>({ method: 'GET', path })
  if (updated_at !== undefined && record.updated_at !== updated_at) {
    throw new CommandFailure('version_mismatch', CHANGED_SINCE, EXIT_CODES.conflict)
  }
  const { comment_count, attachment_count, subtask_count, time_spent_seconds } = record
  if (comment_count || attachment_count || subtask_count || time_spent_seconds) {
    const message = 'The task has comments, files, subtasks or logged time by now.'
    throw new CommandFailure('task_in_use', message, EXIT_CODES.conflict)
  }
  return record
}

/** The record that a request has left. */
interface UndoReply {
  id: string
  version?: number
  updated_at: string
}

/** Sends a request. A repetition with the same key does nothing twice. */
function sendUndo(
  docket: Docket,
  { method, path, version, body = true }: UndoRequest,
  record: object | undefined,
  idempotencyKey: string,
): Promise<UndoReply | undefined> {
  const ifMatch = version === undefined ? record : `"${version}"`
  const options = { idempotencyKey, ...(ifMatch && { ifMatch }) }
  return docket.change({ method, path, options }, body, path)
}

/** Adapts the undoing of another write to the record that a request has left. */
function adaptUndo(
  other: UndoRequest,
  { path, version_before, replaces }: UndoRequest,
  { id, version, updated_at }: UndoReply,
) {
  if (other.path === replaces) {
    other.path = replaces.replace(/[^/]+$/, id)
    other.updated_at = updated_at
  }
  const follows = other.path === path && other.version === version_before
  if (follows && version !== undefined) other.version = version
}

/** Answers after which a request never succeeds: what is in its way stays there. */
const FINAL_CODES = [
  'not_found',
  'version_mismatch',
  'task_in_use',
  'project_archived',
  'validation_failed',
  'insufficient_scope',
  'insufficient_role',
]
const CHANGED_SINCE = 'Somebody has changed it since.'
/** Reasons for which the message of the server does not fit. */
const REASONS: Record<string, string> = {
  not_found: 'It no longer exists.',
  version_mismatch: CHANGED_SINCE,
}

/** Undoes writes of the command line. */
export const UNDO_COMMAND: CommandDefinition = {
  name: 'undo',
  summary: 'Undo the last write of this command line',
  details:
    'Run it again for the write before. It changes nothing if somebody else has changed the record since, or if a new task has comments, files, subtasks or time by now. A timer that another one has stopped, a git branch, a raw request and events sent again cannot be undone.',
  isWrite: true,
  run: undo,
}
