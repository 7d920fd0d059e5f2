import { downloadRoute, readRoute, writeRoute } from '#core/route.ts'
import { createExport, getExportContent, listExports } from './internal.ts'
import { assertCanExport, content, create, list, loadReadyExport } from './operations.ts'

/** `src/archive` makes the archives, in the background. */
export const exports = [
  readRoute(listExports, assertCanExport, list),
  writeRoute(createExport, assertCanExport, create),
  downloadRoute(getExportContent, loadReadyExport, content),
]
