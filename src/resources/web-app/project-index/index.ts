import { readRoute } from '#core/route.ts'
import { getProjectIndex, getProjectRows } from './contract.ts'
import {
  readProjectIndex as list,
  loadProjectOfRows,
  loadProjectToIndex,
  readRows,
} from './operations.ts'

export const projectIndex = [
  readRoute(getProjectIndex, loadProjectToIndex, list),
  readRoute(getProjectRows, loadProjectOfRows, readRows),
]
