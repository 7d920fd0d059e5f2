import { allowAnyRole, readRoute } from '#core/route.ts'
import { getBoot } from './contract.ts'
import { get } from './operations.ts'

export const boot = [readRoute(getBoot, allowAnyRole, get)]
