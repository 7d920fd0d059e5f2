import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { loadTask } from '#resources/tasks/load.ts'
import {
  getOperation,
  listOperations,
  listTaskOperations,
  undoOperation,
  undoOperations,
} from './contract.ts'
import { loadOperation, loadOperationOrPending } from './load.ts'
import { get, list, listOfTask } from './operations.ts'
import { undoMany, undoOne } from './undo.ts'

export const operations = [
  readRoute(listOperations, allowAnyRole, list),
  readRoute(getOperation, (tx, { params }) => loadOperationOrPending(tx, params.id), get),
  readRoute(listTaskOperations, (tx, { params }) => loadTask(tx, params.id), listOfTask),
  writeRoute(undoOperations, allowAnyRole, undoMany),
  writeRoute(undoOperation, (tx, { params }) => loadOperation(tx, params.id), undoOne),
]
