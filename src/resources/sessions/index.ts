import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { endSession, getSession, listSessions } from './contract.ts'
import { end, get, list } from './operations.ts'

export const sessions = [
  readRoute(getSession, allowAnyRole, get),
  readRoute(listSessions, allowAnyRole, list),
  writeRoute(endSession, allowAnyRole, end),
]
