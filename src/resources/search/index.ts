import { anyone, route } from '#core/route.ts'
import { searchTasks } from './contract.ts'
import { search } from './operations.ts'

export const searching = [route(searchTasks, anyone, search)]
