import { allowAnyRole, readRoute } from '#core/route.ts'
import { loadTaskOrDeleted } from '#resources/tasks/load.ts'
import { getDeletedTask, listSimilarTasks } from './contract.ts'
import { findSimilarTasks, readDeletedTask } from './operations.ts'

export const suggestions = [
  readRoute(getDeletedTask, (tx, { params }) => loadTaskOrDeleted(tx, params.id), readDeletedTask),
  readRoute(listSimilarTasks, allowAnyRole, findSimilarTasks),
]
