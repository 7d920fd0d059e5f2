import { managersOnly } from '#core/managers.ts'
import { route } from '#core/route.ts'
import * as internal from './internal.ts'
import * as does from './operations.ts'

/** What is done with a file is done by the room `importing`, in the background. */
export const imports = [
  route(internal.listImports, managersOnly, does.list),
  route(internal.createImport, managersOnly, does.create, does.room),
  route(internal.getImport, does.one, does.get),
  route(internal.updateImport, does.one, does.update),
  route(internal.startImport, does.one, does.start),
  route(internal.pauseImport, does.one, does.pause),
  route(internal.cancelImport, does.one, does.cancel),
  route(internal.undoImport, does.one, does.undo),
  route(internal.listImportFaults, does.one, does.faults),
]
