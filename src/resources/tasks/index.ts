import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import {
  bulkTasks,
  completeTask,
  createTask,
  deleteTask,
  getTask,
  listProjectTasks,
  listTasks,
  restoreTask,
  updateTask,
} from './contract.ts'
import { copyTask } from './internal.ts'
import { loadTaskRecord, loadTaskToDelete, loadTaskToRestore, loadTaskToWrite } from './load.ts'
import { assertCanBulkDelete, bulk } from './operations/bulk.ts'
import { complete, restore } from './operations/complete.ts'
import { copy } from './operations/copy.ts'
import { create } from './operations/create.ts'
import { listInProject, listInWorkspace, loadProjectToList } from './operations/list.ts'
import { remove } from './operations/remove.ts'
import { update } from './operations/update.ts'

export const tasks = [
  readRoute(listProjectTasks, loadProjectToList, listInProject),
  readRoute(listTasks, allowAnyRole, listInWorkspace),
  readRoute(
    getTask,
    (tx, { params }) => loadTaskRecord(tx, params.id),
    (_, task) => task,
  ),
  writeRoute(createTask, allowAnyRole, create),
  writeRoute(updateTask, (tx, { params }) => loadTaskToWrite(tx, params.id), update),
  writeRoute(deleteTask, (tx, { params }) => loadTaskToDelete(tx, params.id), remove),
  writeRoute(completeTask, (tx, { params }) => loadTaskToWrite(tx, params.id), complete),
  writeRoute(restoreTask, (tx, { params }) => loadTaskToRestore(tx, params.id), restore),
  writeRoute(copyTask, (tx, { params }) => loadTaskToWrite(tx, params.id), copy),
  writeRoute(bulkTasks, assertCanBulkDelete, bulk),
]
