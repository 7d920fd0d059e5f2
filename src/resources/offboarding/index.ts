import { readRoute, writeRoute } from '#core/route.ts'
import { loadMemberToRemove } from '#resources/members/load.ts'
import { getMemberWork, handOver } from './internal.ts'
import { countMemberWork, handOverMemberWork, loadMemberToOffboard } from './operations.ts'

export const offboarding = [
  readRoute(getMemberWork, loadMemberToRemove, countMemberWork),
  writeRoute(handOver, loadMemberToOffboard, handOverMemberWork),
]
