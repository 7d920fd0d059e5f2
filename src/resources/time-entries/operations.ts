import { later } from '#core/later.ts'
import { invalid } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import { sourceOf } from '#core/source.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { dayIn } from '#lib/days.ts'
import { newId } from '#lib/id.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import type { FoundTask } from '#resources/tasks/load.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { spendTime, stopTimers } from '#storage/timers.ts'
import { fault } from '#wire/fault.ts'
import { changedSpan } from './changed-span.ts'
import type {
  createTimeEntry,
  deleteTimeEntry,
  getTimeEntry,
  listTimeEntries,
  updateTimeEntry,
} from './contract.ts'
import { loadTimeEntry } from './load.ts'
import { newSpan } from './span.ts'
import {
  type Changeable,
  changeTimeEntry,
  insertTimeEntry,
  removeTimeEntry,
  timeEntriesOfTask,
  timezoneOf,
} from './store.ts'

type FoundEntry = Awaited<ReturnType<typeof loadTimeEntry>>

export const list: Operation<typeof listTimeEntries, FoundTask> = async (
  tx,
  task,
  { query, page },
) => {
  const { user_id = '', spent_after = '', spent_before = '', billable, running = null } = query
  const has = {
    user: user_id !== '',
    after: spent_after !== '',
    before: spent_before !== '',
    billable: billable !== undefined,
  }
  const order = orderOf(page, page.sort === 'spent_on' ? 'time_entries.spent_on' : null)
  const filters = {
    task_id: task.id,
    user_id: user_id === 'me' ? (tx.actor.user_id ?? '') : user_id,
    spent_after,
    spent_before,
    billable: Number(billable ?? false),
  }
  const entries = timeEntriesOfTask({ order, has, running })
  return page.cut(await tx.all(entries, { ...windowOf(page), ...filters }))
}

export const create: Operation<typeof createTimeEntry, FoundTask> = async (tx, task, { body }) => {
  const own = tx.actor.user_id ?? ''
  const { user_id = own, note = null, billable = false } = body
  const span = newSpan(body, tx.now)
  if (user_id !== own) await refuseStranger(tx, task.project_id, user_id)
  const spent_on = body.spent_on ?? (await dayOf(tx, user_id, span.started_at ?? tx.now))
  refuseArchived(task)
  if (span.duration_seconds === null) await stopTimers(tx, { user_id })
  const id = newId('tme', tx.instant)
  await tx.run(insertTimeEntry, {
    id,
    task_id: task.id,
    user_id,
    ...span,
    spent_on,
    note,
    billable: Number(billable),
    source: sourceOf(tx.actor),
    created_by_id: own,
    created_at: tx.now,
    updated_at: tx.now,
  })
  await spend(tx, task.id, span.duration_seconds ?? 0)
  noteEntry(tx, { id, task_id: task.id, project_id: task.project_id }, 'create', tx.now)
  return loadTimeEntry(tx, id)
}

export const get: Operation<typeof getTimeEntry, FoundEntry> = async (_, entry) => entry

export const update: Operation<typeof updateTimeEntry, FoundEntry> = async (
  tx,
  entry,
  { body },
) => {
  const { spent_on = entry.spent_on, note = entry.note } = body
  const span = changedSpan(entry, body, tx.now)
  refuseArchived(entry)
  const next: Changeable = {
    started_at: span.started_at,
    ended_at: span.ended_at,
    duration_seconds: span.duration_seconds,
    spent_on,
    note,
    billable: body.billable === undefined ? entry.billable : Number(body.billable),
  }
  if (isSame(entry, next)) return entry
  const updated_at = later(tx, entry.updated_at)
  await tx.run(changeTimeEntry, { id: entry.id, ...next, updated_at })
  noteEntry(tx, entry, 'update', updated_at)
  await spend(tx, entry.task_id, (next.duration_seconds ?? 0) - (entry.duration_seconds ?? 0))
  return loadTimeEntry(tx, entry.id)
}

export const remove: Operation<typeof deleteTimeEntry, FoundEntry> = async (tx, entry) => {
  refuseArchived(entry)
  await tx.run(removeTimeEntry, { id: entry.id })
  await spend(tx, entry.task_id, -(entry.duration_seconds ?? 0))
  noteEntry(tx, entry, 'delete')
}

type Noted = Pick<FoundEntry, 'id' | 'task_id' | 'project_id'>

function noteEntry(
  tx: WriteTx,
  { id, task_id, project_id }: Noted,
  op: 'create' | 'update' | 'delete',
  revision?: string,
): void {
  tx.note({ noun: 'time_entry', id, op, task_id, project_id, ...(revision && { revision }) })
}

const isSame = (entry: Changeable, next: Changeable): boolean =>
  (Object.keys(next) as (keyof Changeable)[]).every((field) => next[field] === entry[field])

async function spend(tx: WriteTx, task_id: string, seconds: number): Promise<void> {
  if (seconds !== 0) await tx.run(spendTime, { task_id, seconds })
}

async function refuseStranger(tx: ReadTx, project_id: string, user_id: string): Promise<void> {
  const seeing = await activeMembersSeeing(tx, project_id, [user_id])
  if (seeing.has(user_id)) return
  const why = 'must be an active member who sees the project'
  throw invalid(fault('user_id', 'not_a_member', why))
}

/** The day of a time where the person lives; the first there is for what began on the eve of it. */
async function dayOf(tx: ReadTx, user_id: string, time: string): Promise<string> {
  const person = user_id === tx.actor.user_id ? tx.actor : await tx.one(timezoneOf, { user_id })
  const day = dayIn(person?.timezone ?? 'UTC', time)
  return day < FIRST_DAY ? FIRST_DAY : day
}

const FIRST_DAY = '1970-01-01'
