import { readRoute, writeRoute } from '#core/route.ts'
import { deleteMember } from '#resources/members/internal.ts'
import { loadMemberToRemove } from '#resources/members/load.ts'
import { getMemberWork, handOver } from './internal.ts'
import { countMemberWork, handOverMemberWork, loadMemberToOffboard, remove } from './operations.ts'

export const offboarding = [
  readRoute(getMemberWork, loadMemberToRemove, countMemberWork),
  writeRoute(handOver, loadMemberToOffboard, handOverMemberWork),
  writeRoute(deleteMember, loadMemberToRemove, remove),
]
