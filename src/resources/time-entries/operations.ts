import { recordSourceOf, viewerId } from '#core/actor.ts'
import { conflict, notFound, validationFailed } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { Operation, OperationInput } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { keepInTrash, removeTrash, trashOf } from '#db/operations/trash.ts'
import { addTimeSpent, emitTimersStopped, stopTimers } from '#db/tasks/timers.ts'
import { atLeastFirstDay, dayIn } from '#lib/days.ts'
import { fromJson } from '#lib/json.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import {
  findRecordsOfFewTasks,
  readFiltersOfTaskRecords,
} from '#resources/tasks/filters/task-records.ts'
import { type LoadedTask, resolveTaskId } from '#resources/tasks/load.ts'
import { fieldError } from '#wire/field-error.ts'
import type {
  createTimeEntry,
  deleteTimeEntry,
  getTimeEntry,
  listTaskTimeEntries,
  listTimeEntries,
  TimeEntry,
  updateTimeEntry,
} from './contract.ts'
import { loadTaskToLogTime, loadTimeEntry } from './load.ts'
import { applySpanChanges, createSpan } from './span.ts'
import {
  changeTimeEntry,
  insertTimeEntry,
  removeTimeEntry,
  runningTimerOfUser,
  selectTimeEntries,
  type TimeEntryColumns,
  type TimeEntryLead,
  timeEntriesOfTask,
  timezoneOfUser,
} from './store.ts'

type LoadedTimeEntry = Awaited<ReturnType<typeof loadTimeEntry>>

type TimeEntryFilterQuery = OperationInput<typeof listTaskTimeEntries>['query']

/** The filters that all lists of time entries have: their shape, and the values that they bind. */
function readFilters(tx: ReadTx, query: TimeEntryFilterQuery) {
  const { user_id = '', spent_after = '', spent_before = '', billable, running = null } = query
  const has = {
    user: user_id !== '',
    after: spent_after !== '',
    before: spent_before !== '',
    billable: billable !== undefined,
  }
  const values = {
    user_id: user_id === 'me' ? viewerId(tx.actor) : user_id,
    spent_after,
    spent_before,
    billable: Number(billable ?? false),
  }
  return { shape: { has, running }, values }
}

const SPENT_ON = 'time_entries.spent_on'

export const listEntriesOfTask: Operation<typeof listTaskTimeEntries, LoadedTask> = async (
  tx,
  task,
  { query, page },
) => {
  const { shape, values } = readFilters(tx, query)
  const order = toListOrder(page, page.sort === 'spent_on' ? SPENT_ON : null)
  const entries = timeEntriesOfTask({ order, ...shape })
  return page.toPage(await tx.all(entries, { ...toPageWindow(page), ...values, task_id: task.id }))
}

export const listVisibleEntries: Operation<typeof listTimeEntries> = async (
  tx,
  _,
  { query: { task_id: name, project_id, sort: __, ...query }, page },
) => {
  const task_id = name === undefined ? '' : await resolveTaskId(tx, name)
  const { shape, values } = readFilters(tx, query)
  const tasks = await readFiltersOfTaskRecords(tx, project_id)
  const entry_ids =
    task_id === '' ? await findRecordsOfFewTasks(tx, 'time_entries', tasks) : undefined
  const lead = chooseLead(shape, task_id !== '', entry_ids !== undefined)
  const order = {
    ...toListOrder(page, SPENT_ON),
    ...((lead === 'ids' || lead === 'running') && { sorted: true }),
  }
  const entries = selectTimeEntries({ order, tasks: tasks.selection, lead, ...shape })
  return page.toPage(
    await tx.all(entries, {
      ...toPageWindow(page),
      ...tasks.values,
      ...values,
      task_id,
      entry_ids: entry_ids ?? [],
    }),
  )
}

function chooseLead(
  { has, running }: ReturnType<typeof readFilters>['shape'],
  isOfTask: boolean,
  hasIds: boolean,
): TimeEntryLead {
  if (isOfTask) return 'task'
  if (hasIds) return 'ids'
  // There is one for each person at most.
  if (running === true) return 'running'
  if (has.user) return 'user'
  return has.billable ? 'billable' : 'day'
}

export const create: Operation<typeof createTimeEntry, LoadedTask> = async (tx, task, { body }) => {
  const actorId = viewerId(tx.actor)
  const { user_id = actorId, note = null, billable = false } = body
  const span = createSpan(body, tx.now)
  if (user_id !== actorId) await assertHasAccess(tx, task.project_id, user_id)
  const spent_on = body.spent_on ?? (await defaultDay(tx, user_id, span.started_at ?? tx.now))
  assertNotArchived(task)
  if (span.duration_seconds === null) {
    await emitTimersStopped(tx, await stopTimers(tx, { user_id }))
  }
  const id = tx.newRecordId('tme')
  await tx.run(insertTimeEntry, {
    id,
    task_id: task.id,
    user_id,
    ...span,
    spent_on,
    note,
    billable: Number(billable),
    source: recordSourceOf(tx.actor),
    created_by_id: actorId,
    created_at: tx.now,
    updated_at: tx.now,
  })
  await addSpentTime(tx, task.id, span.duration_seconds ?? 0)
  const entry = await loadTimeEntry(tx, id)
  tx.emit('time_entry.created', entry.json, aboutEntry(entry))
  return entry
}

export const get: Operation<typeof getTimeEntry, LoadedTimeEntry> = async (_, entry) => entry

export const update: Operation<typeof updateTimeEntry, LoadedTimeEntry> = async (
  tx,
  entry,
  { body },
) => {
  const { spent_on = entry.spent_on, note = entry.note } = body
  const span = applySpanChanges(entry, body, tx.now)
  assertNotArchived(entry)
  const next: TimeEntryColumns = {
    started_at: span.started_at,
    ended_at: span.ended_at,
    duration_seconds: span.duration_seconds,
    spent_on,
    note,
    billable: body.billable === undefined ? entry.billable : Number(body.billable),
  }
  return isSame(entry, next) ? entry : writeEntry(tx, entry, next)
}

/** Writes the columns of an entry that differ from the present ones. */
export async function writeEntry(tx: WriteTx, entry: LoadedTimeEntry, next: TimeEntryColumns) {
  const updated_at = nextUpdatedAt(tx, entry.updated_at)
  await tx.run(changeTimeEntry, { id: entry.id, ...next, updated_at })
  await addSpentTime(
    tx,
    entry.task_id,
    (next.duration_seconds ?? 0) - (entry.duration_seconds ?? 0),
  )
  const updated = await loadTimeEntry(tx, entry.id)
  const changes = diffRecords(fromJson(entry.json), fromJson(updated.json))
  tx.emit('time_entry.updated', updated.json, { ...aboutEntry(entry), changes })
  return updated
}

export const remove: Operation<typeof deleteTimeEntry, LoadedTimeEntry> = async (tx, entry) => {
  const { id, task_id, json: record } = entry
  assertNotArchived(entry)
  await keepInTrash(tx, { type: 'time_entry', id, task_id, record })
  await tx.run(removeTimeEntry, { id })
  await addSpentTime(tx, entry.task_id, -(entry.duration_seconds ?? 0))
  tx.emit('time_entry.deleted', entry.json, aboutEntry(entry))
}

/** Puts an entry back that an operation has deleted, for those who may log time for its user. */
export async function restoreTimeEntry(tx: WriteTx, operation_id: string, id: string) {
  const trashed = await tx.one(trashOf, { operation_id, id })
  if (!trashed) throw notFound()
  const { is_running, billable, ...record }: TimeEntry = JSON.parse(trashed.record)
  const task = await loadTaskToLogTime(tx, record.task_id, record)
  assertNotArchived(task)
  if (is_running) await assertNoTimerRuns(tx, record.user_id)
  await tx.run(removeTrash, { operation_id, id })
  const updated_at = nextUpdatedAt(tx, record.updated_at)
  await tx.run(insertTimeEntry, { ...record, billable: Number(billable), updated_at })
  await addSpentTime(tx, task.id, record.duration_seconds ?? 0)
  const entry = await loadTimeEntry(tx, id)
  tx.emit('time_entry.created', entry.json, aboutEntry(entry))
}

/** A person has one timer at most, so what was undone cannot start a second one. */
export async function assertNoTimerRuns(tx: ReadTx, user_id: string): Promise<void> {
  const running = await tx.one(runningTimerOfUser, { user_id })
  if (running) throw conflict('limit_reached', 'Another timer of this person runs. Stop it first.')
}

/** Deliveries of events about time entries keep their order with those about their task. */
const aboutEntry = ({ task_id, project_id }: LoadedTimeEntry) => ({
  subject_id: task_id,
  project_id,
})

const isSame = (entry: TimeEntryColumns, next: TimeEntryColumns): boolean =>
  (Object.keys(next) as (keyof TimeEntryColumns)[]).every((field) => next[field] === entry[field])

async function addSpentTime(tx: WriteTx, task_id: string, seconds: number): Promise<void> {
  if (seconds !== 0) await tx.run(addTimeSpent, { task_id, seconds })
}

async function assertHasAccess(tx: ReadTx, project_id: string, user_id: string): Promise<void> {
  const withAccess = await findMembersWithAccess(tx, project_id, [user_id])
  if (withAccess.has(user_id)) return
  const message = 'must be an active member with access to the project'
  throw validationFailed(fieldError('user_id', 'not_a_member', message))
}

/** The day of an instant in the time zone of the user, but not before 1970-01-01. */
async function defaultDay(tx: ReadTx, user_id: string, time: string): Promise<string> {
  const user = user_id === tx.actor.user_id ? tx.actor : await tx.one(timezoneOfUser, { user_id })
  return atLeastFirstDay(dayIn(user?.timezone ?? 'UTC', time))
}
