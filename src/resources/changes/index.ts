import { feedRoute } from '#core/route.ts'
import { listChanges } from './contract.ts'
import { openChanges } from './operations.ts'

export const changes = [feedRoute(listChanges, openChanges)]
