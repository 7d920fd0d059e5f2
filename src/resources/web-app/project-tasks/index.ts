import { linesRoute } from '#core/route.ts'
import { getProjectTasks } from './contract.ts'
import { listProjectTasks } from './operations.ts'

export const projectTasks = [linesRoute(getProjectTasks, listProjectTasks)]
