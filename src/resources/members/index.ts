import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { listMembers } from './contract.ts'
import { updateMember } from './internal.ts'
import { loadMemberToChange } from './load.ts'
import { list, update } from './operations.ts'

export const members = [
  readRoute(listMembers, allowAnyRole, list),
  writeRoute(updateMember, loadMemberToChange, update),
]
