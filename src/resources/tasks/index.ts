import { viewerId } from '#core/actor.ts'
import { bulkRoute } from '#core/bulk.ts'
import { allowAnyRole, type Operation, readRoute, writeRoute } from '#core/route.ts'
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
import { announceTaskEditing, copyTask } from './internal.ts'
import {
  type LoadedTask,
  loadTask,
  loadTaskRecord,
  loadTaskToDelete,
  loadTaskToRestore,
  loadTaskToWrite,
} from './load.ts'
import { complete, restore } from './operations/complete.ts'
import { copy } from './operations/copy.ts'
import { create } from './operations/create.ts'
import { listInProject, listInWorkspace, loadProjectToList } from './operations/list.ts'
import { remove } from './operations/remove.ts'
import { update } from './operations/update.ts'
import { upsert } from './operations/upsert.ts'

const announceEditing: Operation<typeof announceTaskEditing, LoadedTask> = async (tx, task) => {
  const { id, project_id } = task
  tx.noteChange({ noun: 'editor', id, project_id, user_id: viewerId(tx.actor) })
}

const writes = {
  create: writeRoute(createTask, allowAnyRole, create),
  update: writeRoute(updateTask, (tx, { params }) => loadTaskToWrite(tx, params.id), update),
  delete: writeRoute(deleteTask, (tx, { params }) => loadTaskToDelete(tx, params.id), remove),
  complete: writeRoute(completeTask, (tx, { params }) => loadTaskToWrite(tx, params.id), complete),
  restore: writeRoute(restoreTask, (tx, { params }) => loadTaskToRestore(tx, params.id), restore),
}

export const tasks = [
  readRoute(listProjectTasks, loadProjectToList, listInProject),
  readRoute(listTasks, allowAnyRole, listInWorkspace),
  readRoute(
    getTask,
    (tx, { params }) => loadTaskRecord(tx, params.id),
    (_, task) => task,
  ),
  ...Object.values(writes),
  writeRoute(announceTaskEditing, (tx, { params }) => loadTask(tx, params.id), announceEditing),
  writeRoute(copyTask, (tx, { params }) => loadTaskToWrite(tx, params.id), copy),
  bulkRoute(bulkTasks, { ...writes, upsert }),
]
