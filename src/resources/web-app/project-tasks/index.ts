import { allowAnyRole, linesRoute, readRoute } from '#core/route.ts'
import { getOpenMatches, getOpenTasks, getProjectMatches, getProjectTasks } from './contract.ts'
import {
  loadProjectToSearch,
  readMatches,
  readOpenMatches,
  readOpenTasks,
  readProjectTasks,
} from './operations.ts'

export const projectTasks = [
  linesRoute(getProjectTasks, readProjectTasks),
  linesRoute(getOpenTasks, readOpenTasks),
  readRoute(getOpenMatches, allowAnyRole, readOpenMatches),
  readRoute(getProjectMatches, loadProjectToSearch, readMatches),
]
