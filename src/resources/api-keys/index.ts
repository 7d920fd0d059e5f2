import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { deleteKey, listKeys, updateKey } from './internal.ts'
import { list, loadApiKey, remove, update } from './operations.ts'

/** Creating one is a session action in `src/accounts`: it confirms the user first. */
export const apiKeys = [
  readRoute(listKeys, allowAnyRole, list),
  writeRoute(updateKey, loadApiKey, update),
  writeRoute(deleteKey, loadApiKey, remove),
]
