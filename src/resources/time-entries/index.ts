import { anyone, route } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  createTimeEntry,
  deleteTimeEntry,
  getTimeEntry,
  listTimeEntries,
  updateTimeEntry,
} from './contract.ts'
import { getTimer } from './internal.ts'
import { loadTaskToTime, loadTimeEntry, loadTimeEntryToWrite } from './load.ts'
import { create, get, list, remove, update } from './operations.ts'
import { running } from './running.ts'

export const timeEntries = [
  route(listTimeEntries, (tx, { params }) => loadTask(tx, params.id), list),
  route(createTimeEntry, (tx, { params, body }) => loadTaskToTime(tx, params.id, body), create),
  route(getTimeEntry, (tx, { params }) => loadTimeEntry(tx, params.id), get),
  route(updateTimeEntry, (tx, { params }) => loadTimeEntryToWrite(tx, params.id), update),
  route(deleteTimeEntry, (tx, { params }) => loadTimeEntryToWrite(tx, params.id), remove),
  route(getTimer, anyone, running),
]
