import { anyone, route } from '#core/route.ts'
import {
  bulkTasks,
  completeTask,
  createTask,
  deleteTask,
  getTask,
  listTasks,
  listTasksOfProject,
  restoreTask,
  updateTask,
} from './contract.ts'
import { copyTask } from './internal.ts'
import { loadTask, loadTaskToDelete, loadTaskToRestore, loadTaskToWrite } from './load.ts'
import { bulk, mayDelete } from './operations/bulk.ts'
import { complete } from './operations/complete.ts'
import { copy } from './operations/copy.ts'
import { create } from './operations/create.ts'
import { ofProject, ofWorkspace, projectToList } from './operations/list.ts'
import { remove } from './operations/remove.ts'
import { restore } from './operations/restore.ts'
import { update } from './operations/update.ts'

export const tasks = [
  route(listTasksOfProject, projectToList, ofProject),
  route(listTasks, anyone, ofWorkspace),
  route(
    getTask,
    (tx, { params }) => loadTask(tx, params.id),
    async (_, task) => task,
  ),
  route(createTask, anyone, create),
  route(updateTask, (tx, { params }) => loadTaskToWrite(tx, params.id), update),
  route(deleteTask, (tx, { params }) => loadTaskToDelete(tx, params.id), remove),
  route(completeTask, (tx, { params }) => loadTaskToWrite(tx, params.id), complete),
  route(restoreTask, (tx, { params }) => loadTaskToRestore(tx, params.id), restore),
  route(copyTask, (tx, { params }) => loadTaskToWrite(tx, params.id), copy),
  route(bulkTasks, mayDelete, bulk),
]
