import { allowManagers } from '#core/managers.ts'
import { readRoute, uploadRoute, writeRoute } from '#core/route.ts'
import * as internal from './internal.ts'
import * as operations from './operations.ts'

/** `src/importing` reads the files and makes the tasks, in the background. */
export const imports = [
  readRoute(internal.listImports, allowManagers, operations.list),
  uploadRoute(internal.createImport, allowManagers, operations.create, operations.importQuota),
  readRoute(internal.getImport, operations.loadImportByParams, operations.get),
  writeRoute(internal.updateImport, operations.loadImportByParams, operations.update),
  writeRoute(internal.startImport, operations.loadImportByParams, operations.start),
  writeRoute(internal.pauseImport, operations.loadImportByParams, operations.pause),
  writeRoute(internal.cancelImport, operations.loadImportByParams, operations.cancel),
  writeRoute(internal.undoImport, operations.loadImportByParams, operations.undo),
  readRoute(internal.listImportFaults, operations.loadImportByParams, operations.listFaults),
  readRoute(internal.listImportWarnings, operations.loadImportByParams, operations.listWarnings),
]
