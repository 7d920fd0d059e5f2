import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { deleteGrant, listGrants } from './internal.ts'
import { list, loadGrantToRevoke, remove } from './operations.ts'

export const grants = [
  readRoute(listGrants, allowAnyRole, list),
  writeRoute(deleteGrant, loadGrantToRevoke, remove),
]
