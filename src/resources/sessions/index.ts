import { anyone, route } from '#core/route.ts'
import { endSession, getSession, listSessions } from './contract.ts'
import { end, get, list } from './operations.ts'

export const sessions = [
  route(getSession, anyone, get),
  route(listSessions, anyone, list),
  route(endSession, anyone, end),
]
