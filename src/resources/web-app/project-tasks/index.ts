import { linesRoute } from '#core/route.ts'
import { getProjectTasks } from './contract.ts'
import { readProjectTasks } from './operations.ts'

export const projectTasks = [linesRoute(getProjectTasks, readProjectTasks)]
