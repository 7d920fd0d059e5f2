import { managersOnly } from '#core/managers.ts'
import { route } from '#core/route.ts'
import { listEvents } from './contract.ts'
import { list } from './operations.ts'

export const events = [route(listEvents, managersOnly, list)]
