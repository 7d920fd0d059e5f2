import { anyone, route } from '#core/route.ts'
import { deleteGrant, listGrants } from './internal.ts'
import { grantToEnd, list, remove } from './operations.ts'

export const grants = [route(listGrants, anyone, list), route(deleteGrant, grantToEnd, remove)]
