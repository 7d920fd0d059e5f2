import { linesRoute, readRoute } from '#core/route.ts'
import { getProjectMatches, getProjectTasks } from './contract.ts'
import { loadProjectToSearch, readMatches, readProjectTasks } from './operations.ts'

export const projectTasks = [
  linesRoute(getProjectTasks, readProjectTasks),
  readRoute(getProjectMatches, loadProjectToSearch, readMatches),
]
