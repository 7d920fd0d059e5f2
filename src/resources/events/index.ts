import { allowManagers } from '#core/managers.ts'
import { readRoute } from '#core/route.ts'
import { getEventPosition, listEvents } from './contract.ts'
import { getPosition, list } from './operations.ts'

export const events = [
  readRoute(listEvents, allowManagers, list),
  readRoute(getEventPosition, allowManagers, getPosition),
]
