import { allowAnyRole, readRoute } from '#core/route.ts'
import { searchTasks } from './contract.ts'
import { findTasks } from './operations.ts'

export const search = [readRoute(searchTasks, allowAnyRole, findTasks)]
