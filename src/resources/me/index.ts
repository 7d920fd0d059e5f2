import { anyone, route } from '#core/route.ts'
import { getMe } from './contract.ts'
import { get } from './operations.ts'

export const me = [route(getMe, anyone, get)]
