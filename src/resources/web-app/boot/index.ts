import { allowAnyRole, readRoute } from '#core/route.ts'
import { getBoot, getCounts } from './contract.ts'
import { count, get } from './operations.ts'

export const boot = [
  readRoute(getBoot, allowAnyRole, get),
  readRoute(getCounts, allowAnyRole, count),
]
