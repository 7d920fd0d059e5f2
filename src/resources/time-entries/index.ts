import { viewerId } from '#core/actor.ts'
import { bulkRoute } from '#core/bulk.ts'
import { allowAnyRole, type Operation, readRoute, tableRoute, writeRoute } from '#core/route.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { fromJson } from '#lib/json.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  bulkTimeEntries,
  createTimeEntry,
  deleteTimeEntry,
  getTimeEntry,
  getTimeReport,
  listTaskTimeEntries,
  listTimeEntries,
  updateTimeEntry,
} from './contract.ts'
import { getTimer } from './internal.ts'
import { loadTaskToLogTime, loadTimeEntry, loadTimeEntryToWrite } from './load.ts'
import { create, get, listEntriesOfTask, listVisibleEntries, remove, update } from './operations.ts'
import { readGroupedTimeReport, toTimeCsv } from './report.ts'
import { timeEntryById } from './store.ts'

/** The running timer of the actor; none if it runs on a task that the actor does not see. */
const readRunningTimer: Operation<typeof getTimer> = async (tx) => {
  const timer = await tx.one(runningTimerOfUser, { user_id: viewerId(tx.actor) })
  const entry = timer && (await tx.one(timeEntryById, { id: timer.id }))
  if (!timer || !entry) return { entry: null, task: null }
  const { id, project_id, short_id, title } = fromJson((await loadTask(tx, timer.task_id)).json)
  return { entry: fromJson(entry.json), task: { id, project_id, short_id, title } }
}

/** The running timer of a user. A partial unique index guarantees that there is at most one. */
const runningTimerOfUser = query((db, $: Scoped<{ user_id: string }>) =>
  db
    .selectFrom('time_entries')
    .select(['id', 'task_id'])
    .where('user_id', '=', $.user_id)
    .where('duration_seconds', 'is', null),
)

const writes = {
  create: writeRoute(
    createTimeEntry,
    (tx, { params, body }) => loadTaskToLogTime(tx, params.id, body),
    create,
  ),
  update: writeRoute(
    updateTimeEntry,
    (tx, { params }) => loadTimeEntryToWrite(tx, params.id),
    update,
  ),
  delete: writeRoute(
    deleteTimeEntry,
    (tx, { params }) => loadTimeEntryToWrite(tx, params.id),
    remove,
  ),
}

export const timeEntries = [
  tableRoute(getTimeReport, allowAnyRole, readGroupedTimeReport, toTimeCsv),
  readRoute(listTimeEntries, allowAnyRole, listVisibleEntries),
  readRoute(listTaskTimeEntries, (tx, { params }) => loadTask(tx, params.id), listEntriesOfTask),
  readRoute(getTimeEntry, (tx, { params }) => loadTimeEntry(tx, params.id), get),
  ...Object.values(writes),
  bulkRoute(bulkTimeEntries, writes),
  readRoute(getTimer, allowAnyRole, readRunningTimer),
]
