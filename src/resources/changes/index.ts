import { feedRoute } from '#core/route.ts'
import { listChanges, listNumberedChanges } from './contract.ts'
import { openChanges, openNumberedChanges } from './operations.ts'

export const changes = [
  feedRoute(listChanges, openChanges),
  feedRoute(listNumberedChanges, openNumberedChanges),
]
