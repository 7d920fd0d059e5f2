import { linesRoute, readRoute } from '#core/route.ts'
import { getOpenTasks, getProjectMatches, getProjectTasks } from './contract.ts'
import { loadProjectToSearch, readMatches, readOpenTasks, readProjectTasks } from './operations.ts'

export const projectTasks = [
  linesRoute(getProjectTasks, readProjectTasks),
  linesRoute(getOpenTasks, readOpenTasks),
  readRoute(getProjectMatches, loadProjectToSearch, readMatches),
]
