import { route } from '#core/route.ts'
import { removable } from '#resources/members/acting.ts'
import { getWork, handOver } from './internal.ts'
import { hand, leaver, work } from './operations.ts'

export const leaving = [route(getWork, removable, work), route(handOver, leaver, hand)]
