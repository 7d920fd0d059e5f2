import { anyone, route } from '#core/route.ts'
import { getBoot } from './contract.ts'
import { get } from './operations.ts'

export const boot = [route(getBoot, anyone, get)]
