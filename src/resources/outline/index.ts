import { route } from '#core/route.ts'
import { getOutline, getRows } from './contract.ts'
import { outline as list, projectToOutline, projectToRead, rows } from './operations.ts'

export const outline = [
  route(getOutline, projectToOutline, list),
  route(getRows, projectToRead, rows),
]
