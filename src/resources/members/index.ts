import { anyone, route } from '#core/route.ts'
import { changeable, removable } from './acting.ts'
import { listMembers } from './contract.ts'
import { deleteMember, updateMember } from './internal.ts'
import { list, remove, update } from './operations.ts'

export const members = [
  route(listMembers, anyone, list),
  route(updateMember, changeable, update),
  route(deleteMember, removable, remove),
]
