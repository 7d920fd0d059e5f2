import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import { listMembers } from './contract.ts'
import { deleteMember, updateMember } from './internal.ts'
import { loadMemberToChange, loadMemberToRemove } from './load.ts'
import { list, remove, update } from './operations.ts'

export const members = [
  readRoute(listMembers, allowAnyRole, list),
  writeRoute(updateMember, loadMemberToChange, update),
  writeRoute(deleteMember, loadMemberToRemove, remove),
]
