import { applySpanChanges, createSpan, type TimeSpan } from '#resources/time-entries/span.ts'
import type { FeedChange } from '../../web/src/data/live/live-message.ts'
import { type RevisedRecord, toRevision } from '../../web/src/data/mutations/record-revision.ts'
import { isSameValue } from '../../web/src/data/tasks/task-patch.ts'
import type { ChangedFields, SimulatedOperations } from './simulated-operations.ts'
import { createProblem, type SimulatedReply, type SimulatedRequest } from './simulated-server.ts'
import { type FieldChange, PROJECT } from './simulated-tasks.ts'

/** The task that has the comments and the logged time. Nobody deletes it. */
export const COMMENTED_TASK_ID = 'tsk_1'

export interface SimulatedComment {
  id: string
  task_id: string
  body: string
  updated_at: string
}

/** Logged time, or a timer. */
export interface SimulatedTimeEntry extends TimeSpan {
  id: string
  task_id: string
  user_id: string
  note: string | null
  created_at: string
  updated_at: string
}

/** The comments, time entries and notifications of the simulated server. */
export class SimulatedRecords {
  readonly comments = new Map<string, SimulatedComment>()
  readonly deletedComments = new Map<string, SimulatedComment>()
  /** When comments were last restored. */
  readonly restoredAt = new Map<string, number>()
  readonly timeEntries = new Map<string, SimulatedTimeEntry>()
  readonly deletedTimeEntries = new Map<string, SimulatedTimeEntry>()
  readonly attachments = new Set<string>()
  readonly notifications = new Map<string, SimulatedNotification & { person: number }>()
  /** Every change of a field that an edit was about, in order. */
  readonly changes: FieldChange[] = []
  /** What a client must not have done. */
  readonly wrong: string[]
  readonly #feed: FeedChange[]
  readonly #operations: SimulatedOperations
  #lastId = 0

  constructor(feed: FeedChange[], wrong: string[], operations: SimulatedOperations) {
    this.#feed = feed
    this.wrong = wrong
    this.#operations = operations
  }

  /** What there is to edit from the start. */
  addFirst(now: number): void {
    const fields = { task_id: COMMENTED_TASK_ID, user_id: 'usr_0' }
    this.putComment({ ...fields, id: this.nextId('cmt'), body: 'first' }, now)
    const span = createSpan({ duration_seconds: 600 }, toTimestamp(now))
    this.putTimeEntry({ ...fields, ...span, id: this.nextId('tme'), note: 'first' }, now)
  }

  /** Something in the inbox of a person. */
  notify(person: number, now: number): void {
    const id = this.nextId('ntf')
    const times = { read_at: null, done_at: null, snoozed_until: null }
    this.notifications.set(id, { id, ...times, created_at: toTimestamp(now), person })
  }

  /** The id ends with the last letters of the key, by which a page recognizes its creations. */
  nextId(prefix: string, key = ''): string {
    this.#lastId += 1
    return `${prefix}_${this.#lastId}${key && `_${key.slice(-8)}`}`
  }

  putComment(fields: Omit<SimulatedComment, 'updated_at'>, now: number): SimulatedComment {
    const earlier = this.comments.get(fields.id)
    const comment = { ...fields, updated_at: nextUpdatedAt(earlier, now) }
    this.comments.set(comment.id, comment)
    this.#noteEffect(earlier, comment)
    this.#tell('comment', comment)
    return comment
  }

  putTimeEntry(
    fields: Omit<SimulatedTimeEntry, 'created_at' | 'updated_at'>,
    now: number,
  ): SimulatedTimeEntry {
    const earlier = this.timeEntries.get(fields.id)
    const created_at = earlier?.created_at ?? toTimestamp(now)
    const entry = { ...fields, created_at, updated_at: nextUpdatedAt(earlier, now) }
    this.timeEntries.set(entry.id, entry)
    this.#noteEffect(earlier, entry)
    this.#tell('time_entry', toTimeEntryJson(entry))
    return entry
  }

  /** Notes which fields of a record an edit has changed. */
  noteChanges(id: string, key: string, before: object, after: object, now: number): void {
    const earlier = new Map<string, unknown>(Object.entries(before))
    for (const [field, value] of Object.entries(after))
      if (earlier.get(field) !== value)
        this.changes.push({
          key,
          id,
          field,
          at: now,
          before: earlier.get(field),
          after: value,
        })
  }

  /** What a write did to a record, other than to its times of change. */
  #noteEffect(before: RevisedRecord | undefined, after: RevisedRecord): void {
    const { id } = after
    if (!before) {
      this.#operations.note({ id, verb: 'created', revision: after.updated_at })
      return
    }
    const former = new Map<string, unknown>(Object.entries(before))
    const fields = Object.fromEntries(
      Object.entries(after).flatMap(([name, to]) => {
        const from = former.get(name)
        return name === 'updated_at' || isSameValue(from, to) ? [] : [[name, { from, to }]]
      }),
    )
    if (Object.keys(fields).length > 0) this.#operations.note({ id, verb: 'changed', fields })
  }

  attach(key: string): string {
    const id = this.nextId('att', key)
    this.attachments.add(id)
    this.#operations.note({ id, verb: 'created', revision: '' })
    return id
  }

  /** The record and its revision, as an undo compares them. */
  find(id: string) {
    if (this.attachments.has(id)) return { record: { id }, revision: '' }
    const record = this.comments.get(id) ?? this.timeEntries.get(id)
    return record && { record: { ...record }, revision: record.updated_at }
  }

  /** Gives fields of a record their former values. */
  changeBack(id: string, fields: ChangedFields, now: number): void {
    const former = Object.fromEntries(
      Object.entries(fields).map(([name, { from }]) => [name, from]),
    )
    const comment = this.comments.get(id)
    if (comment) this.putComment({ ...comment, ...former }, now)
    const entry = this.timeEntries.get(id)
    if (entry) this.putTimeEntry({ ...entry, ...former }, now)
  }

  /** Whether a deleted record is there again. A person has one running timer at the most. */
  restore(id: string, now: number): boolean {
    if (this.deletedComments.has(id)) return this.restoreComment(id, now) !== undefined
    const entry = this.deletedTimeEntries.get(id)
    if (!entry || (isRunning(entry) && this.#isOtherRunning(entry))) return false
    this.deletedTimeEntries.delete(id)
    const updated_at = nextUpdatedAt(entry, now)
    const restored = { ...entry, updated_at }
    this.timeEntries.set(id, restored)
    this.restoredAt.set(id, now)
    this.#operations.note({ id, verb: 'restored', revision: updated_at })
    this.#tell('time_entry', toTimeEntryJson(restored))
    return true
  }

  #isOtherRunning = ({ user_id }: SimulatedTimeEntry): boolean =>
    [...this.timeEntries.values()].some((one) => isRunning(one) && one.user_id === user_id)

  /** Whether there was such a record. */
  delete(id: string): boolean {
    if (this.attachments.delete(id)) return true
    const comment = this.comments.get(id)
    const entry = this.timeEntries.get(id)
    const isComment = comment !== undefined
    if (!isComment && !entry) return false
    if (comment) this.deletedComments.set(id, comment)
    if (entry) this.deletedTimeEntries.set(id, entry)
    this.#operations.note({ id, verb: 'deleted' })
    this.comments.delete(id)
    this.timeEntries.delete(id)
    const type = isComment ? 'comment' : 'time_entry'
    this.#feed.push({ op: 'delete', type, id, project_id: PROJECT.id })
    return true
  }

  /** The comment, which is not deleted any more; undefined if there never was one. */
  restoreComment(id: string, now: number): SimulatedComment | undefined {
    const comment = this.deletedComments.get(id)
    if (!comment) return this.comments.get(id)
    this.deletedComments.delete(id)
    this.restoredAt.set(id, now)
    const { updated_at } = comment
    const restored = { ...comment, updated_at: nextUpdatedAt({ updated_at }, now) }
    this.comments.set(id, restored)
    this.#operations.note({ id, verb: 'restored', revision: restored.updated_at })
    this.#tell('comment', restored)
    return restored
  }

  /** The running timer of a person, which is one at the most. */
  findRunning(person: number): SimulatedTimeEntry | undefined {
    return [...this.timeEntries.values()].find(
      (entry) => isRunning(entry) && entry.user_id === `usr_${person}`,
    )
  }

  /** The deletion of a task stops its timers, which the feed tells by the deletion alone. */
  stopTimersOfDeleted(isTask: (id: string) => boolean, now: number): void {
    for (const entry of this.timeEntries.values()) {
      if (!isRunning(entry) || isTask(entry.task_id)) continue
      const span = applySpanChanges(entry, { running: false }, toTimestamp(now))
      const updated_at = nextUpdatedAt(entry, now)
      this.timeEntries.set(entry.id, { ...entry, ...span, updated_at })
    }
  }

  timeEntriesOf(taskId: string): SimulatedTimeEntry[] {
    return [...this.timeEntries.values()].filter(({ task_id }) => task_id === taskId)
  }

  /** The feed tells the few fields that the simulation has. */
  #tell(type: 'comment' | 'time_entry', record: { id: string }): void {
    const change = { op: 'put', type, id: record.id, project_id: PROJECT.id, record }
    this.#feed.push(JSON.parse(JSON.stringify(change)))
  }
}

export const toTimestamp = (at: number): string => new Date(at).toISOString()

/** It strictly increases (docs/spec/api.md#resources). */
function nextUpdatedAt(before: { updated_at: string } | undefined, now: number): string {
  const earliest = before ? Date.parse(before.updated_at) + 1 : 0
  return toTimestamp(Math.max(earliest, now))
}

/** The reply with a whole list. */
export const listOf = (data: readonly object[]): SimulatedReply => ({
  status: 200,
  body: { data, has_more: false, next_cursor: null },
})

/** A page starts a timer within this time after it has read which one is running. */
const MAX_READ_AGE_MS = 1_000

type TimeEntryTimes = Parameters<typeof applySpanChanges>[1]
/** Notes a record that a request has written. */
export type Accept = (target: string) => void

/** Handles a request that concerns other records than tasks; undefined if it does not. */
export function handleRecordRequest(
  records: SimulatedRecords,
  request: SimulatedRequest,
  now: number,
  accept: Accept,
): SimulatedReply | undefined {
  const { path } = request
  if (path.includes('comments')) return handleComments(records, request, now, accept)
  if (path.includes('time-entries')) return handleTimeEntries(records, request, now, accept)
  if (path.includes('attachments')) {
    const id = records.attach(request.key)
    accept(id)
    return { status: 201, body: { id } }
  }
  if (path === '/internal/timer') return readTimer(records, request.person)
  if (path.startsWith('/internal/notifications'))
    return handleNotifications(records, request, now, accept)
  return undefined
}

function handleComments(
  records: SimulatedRecords,
  { method, path, text, key, revision }: SimulatedRequest,
  now: number,
  accept: Accept,
): SimulatedReply {
  const [, restoredId] = /comments\/(\w+)\/restore$/.exec(path) ?? []
  if (restoredId !== undefined) {
    const restored = records.restoreComment(restoredId, now)
    if (restored) accept(restoredId)
    return toReply(restored)
  }
  const id = path.split('/').at(-1) ?? ''
  const earlier = records.comments.get(id)
  if (method === 'GET')
    return path.includes('/tasks/')
      ? listOf([...records.comments.values()].toReversed())
      : toReply(earlier)
  if (method === 'DELETE') return deleteRecord(records, id, accept)
  const { body }: { body: string } = JSON.parse(text)
  if (method === 'PATCH') {
    if (!earlier) return createProblem(404, 'not_found')
    if (isOutdated(revision, earlier)) return createProblem(412, 'version_mismatch')
    accept(id)
    if (body === earlier.body) return toReply(earlier)
    records.noteChanges(id, key, earlier, { body }, now)
    return toReply(records.putComment({ ...earlier, body }, now))
  }
  const comment = { id: records.nextId('cmt', key), task_id: COMMENTED_TASK_ID, body }
  accept(comment.id)
  return toReply(records.putComment(comment, now))
}

function handleTimeEntries(
  records: SimulatedRecords,
  { method, path, text, key, revision, person, sentAt = 0 }: SimulatedRequest,
  now: number,
  accept: Accept,
): SimulatedReply {
  const [, taskId] = /tasks\/(\w+)\/time-entries/.exec(path) ?? []
  const id = path.split('/').at(-1) ?? ''
  const earlier = records.timeEntries.get(id)
  if (method === 'GET')
    return taskId === undefined
      ? toReply(earlier && toTimeEntryJson(earlier))
      : listOf(records.timeEntriesOf(taskId).map(toTimeEntryJson))
  if (method === 'DELETE') return deleteRecord(records, id, accept)
  const sent: TimeEntryTimes & { note?: string } = JSON.parse(text)
  const time = toTimestamp(now)
  if (method === 'PATCH') {
    if (!earlier) return createProblem(404, 'not_found')
    if (isOutdated(revision, earlier)) return createProblem(412, 'version_mismatch')
    const span = readSpan(() => applySpanChanges(earlier, sent, time))
    if (!span) return createProblem(422, 'validation_failed')
    const changed = { ...earlier, ...span, ...(sent.note !== undefined && { note: sent.note }) }
    accept(id)
    if (isSameValue(changed, earlier)) return toReply(toTimeEntryJson(earlier))
    const { note, duration_seconds } = sent
    const edited = {
      ...(note !== undefined && { note }),
      ...(duration_seconds !== undefined && { duration_seconds }),
    }
    records.noteChanges(id, key, earlier, edited, now)
    return toReply(toTimeEntryJson(records.putTimeEntry(changed, now)))
  }
  const span = readSpan(() => createSpan(sent, time))
  if (!span) return createProblem(422, 'validation_failed')
  const running = records.findRunning(person)
  // A start below an earlier one stops it.
  if (span.duration_seconds === null && running) {
    const readBy = toTimestamp(sentAt - MAX_READ_AGE_MS)
    const { started_at } = running
    if (sent.started_at && started_at && started_at > sent.started_at && started_at < readBy)
      records.wrong.push(`${key} stops ${running.id}, which was started later`)
    const end = readSpan(() => applySpanChanges(running, { running: false }, time))
    records.putTimeEntry({ ...running, ...end }, now)
  }
  const entry = {
    id: records.nextId('tme', key),
    task_id: taskId ?? '',
    user_id: `usr_${person}`,
    ...span,
    note: sent.note ?? null,
  }
  accept(entry.id)
  return toReply(toTimeEntryJson(records.putTimeEntry(entry, now)))
}

const toReply = (body: object | undefined): SimulatedReply =>
  body ? { status: 200, body } : createProblem(404, 'not_found')

/** Whether the record has been changed since its writer has read it. */
const isOutdated = (revision: string | undefined, record: RevisedRecord): boolean =>
  revision !== undefined && revision !== toRevision(record)

/** The task of a timer has only the fields that its start has told. */
function readTimer(records: SimulatedRecords, person: number): SimulatedReply {
  const running = records.findRunning(person)
  const entry = running ? toTimeEntryJson(running) : null
  const id = running?.task_id ?? ''
  const short_id = `${PROJECT.prefix}-${id.split('_')[1]}`
  const task = running ? { id, project_id: PROJECT.id, short_id, title: '' } : null
  return { status: 200, body: { entry, task } }
}

const isRunning = ({ started_at, duration_seconds }: TimeSpan): boolean =>
  started_at !== null && duration_seconds === null

/** A time entry as the API returns it. */
export const toTimeEntryJson = (entry: SimulatedTimeEntry) => ({
  ...entry,
  is_running: isRunning(entry),
})

/** Undefined if the server refuses the times. */
function readSpan(read: () => TimeSpan): TimeSpan | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function deleteRecord(records: SimulatedRecords, id: string, accept: Accept): SimulatedReply {
  if (!records.delete(id)) return createProblem(404, 'not_found')
  accept(id)
  return { status: 204 }
}

/** Something in the inbox of a person. */
interface SimulatedNotification {
  id: string
  read_at: string | null
  done_at: string | null
  snoozed_until: string | null
  created_at: string
}

/** Lists the inbox of a person, or changes what is in it. */
function handleNotifications(
  records: SimulatedRecords,
  { method, text, person }: SimulatedRequest,
  now: number,
  accept: Accept,
): SimulatedReply {
  const own = [...records.notifications.values()].filter((one) => one.person === person)
  if (method === 'GET') return listOf(own)
  const { ids, done, read }: { ids: string[]; done?: boolean; read?: boolean } = JSON.parse(text)
  const time = toTimestamp(now)
  for (const one of own) {
    if (!ids.includes(one.id)) continue
    accept(one.id)
    records.notifications.set(one.id, {
      ...one,
      ...(read !== undefined && { read_at: read ? time : null }),
      ...(done === true && { done_at: time, read_at: time }),
      ...(done === false && { done_at: null }),
    })
  }
  return { status: 200, body: { ids, unread: 0 } }
}
