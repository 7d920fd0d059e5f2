import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { createKey, deleteKey, listKeys, updateKey } from './internal.ts'
import { create, list, loadApiKey, remove, update } from './operations.ts'

export const apiKeys = [
  readRoute(listKeys, allowAnyRole, list),
  writeRoute(createKey, allowAnyRole, create),
  writeRoute(updateKey, loadApiKey, update),
  writeRoute(deleteKey, loadApiKey, remove),
]
