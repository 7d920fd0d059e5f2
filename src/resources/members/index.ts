import { anyone, route } from '#core/route.ts'
import { listMembers } from './contract.ts'
import { list } from './operations.ts'

export const members = [route(listMembers, anyone, list)]
