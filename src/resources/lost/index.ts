import { anyone, route } from '#core/route.ts'
import { loadTaskOrDeleted } from '#resources/tasks/load.ts'
import { getNear, getTrashed } from './contract.ts'
import { near, trashed } from './operations.ts'

export const lost = [
  route(getTrashed, (tx, { params }) => loadTaskOrDeleted(tx, params.id), trashed),
  route(getNear, anyone, near),
]
