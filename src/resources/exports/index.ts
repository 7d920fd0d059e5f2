import { route } from '#core/route.ts'
import { createExport, getExportContent, listExports } from './internal.ts'
import { content, create, list, loadReady, ownersOnly } from './operations.ts'

/** Archives are made by the room `archive`, in the background. */
export const exports = [
  route(listExports, ownersOnly, list),
  route(createExport, ownersOnly, create),
  route(getExportContent, loadReady, content),
]
