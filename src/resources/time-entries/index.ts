import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  createTimeEntry,
  deleteTimeEntry,
  getTimeEntry,
  listTaskTimeEntries,
  updateTimeEntry,
} from './contract.ts'
import { getTimer } from './internal.ts'
import { loadTaskToLogTime, loadTimeEntry, loadTimeEntryToWrite } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'
import { readRunningTimer } from './running-timer.ts'

export const timeEntries = [
  readRoute(listTaskTimeEntries, (tx, { params }) => loadTask(tx, params.id), list),
  writeRoute(
    createTimeEntry,
    (tx, { params, body }) => loadTaskToLogTime(tx, params.id, body),
    create,
  ),
  readRoute(getTimeEntry, (tx, { params }) => loadTimeEntry(tx, params.id), get),
  writeRoute(updateTimeEntry, (tx, { params }) => loadTimeEntryToWrite(tx, params.id), update),
  writeRoute(deleteTimeEntry, (tx, { params }) => loadTimeEntryToWrite(tx, params.id), remove),
  readRoute(getTimer, allowAnyRole, readRunningTimer),
]
