import { allowAnyRole, readRoute } from '#core/route.ts'
import { listMembers } from './contract.ts'
import { list } from './operations.ts'

/** Changing a role is a session action in `src/accounts`: a new owner needs a confirmation. */
export const members = [readRoute(listMembers, allowAnyRole, list)]
