import { anyone, route } from '#core/route.ts'
import { createKey, deleteKey, listKeys } from './internal.ts'
import { create, keyToEnd, list, remove } from './operations.ts'

export const apiKeys = [
  route(listKeys, anyone, list),
  route(createKey, anyone, create),
  route(deleteKey, keyToEnd, remove),
]
