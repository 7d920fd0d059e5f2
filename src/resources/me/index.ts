import { allowAnyRole, readRoute } from '#core/route.ts'
import { getMe } from './contract.ts'
import { get } from './operations.ts'

export const me = [readRoute(getMe, allowAnyRole, get)]
