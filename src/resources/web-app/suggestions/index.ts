import { allowAnyRole, readRoute } from '#core/route.ts'
import { loadTaskOrDeleted } from '#resources/tasks/load.ts'
import { getDeletedTask, listDeletedTasks, listSimilarTasks } from './contract.ts'
import { findSimilarTasks, readDeletedTask, readTrash } from './operations.ts'

export const suggestions = [
  readRoute(getDeletedTask, (tx, { params }) => loadTaskOrDeleted(tx, params.id), readDeletedTask),
  readRoute(listDeletedTasks, allowAnyRole, readTrash),
  readRoute(listSimilarTasks, allowAnyRole, findSimilarTasks),
]
