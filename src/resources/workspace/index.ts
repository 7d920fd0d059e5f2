import { allowManagers } from '#core/managers.ts'
import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import {
  getSecondFactorStatus,
  getSignInRule,
  getUsage,
  getWorkspace,
  getWorkspaceDeletion,
  restoreWorkspace,
  updateSignInRule,
  updateWorkspace,
} from './internal.ts'
import {
  assertCanChangeSignInRule,
  assertCanChangeWorkspace,
  assertCanRestoreWorkspace,
  changeSignInRule,
  get,
  readDeletion,
  readSecondFactorStatus,
  readSignInRule,
  readUsage,
  restore,
  update,
} from './operations.ts'

export const workspace = [
  readRoute(getWorkspace, allowAnyRole, get),
  readRoute(getWorkspaceDeletion, assertCanRestoreWorkspace, readDeletion),
  writeRoute(restoreWorkspace, assertCanRestoreWorkspace, restore),
  writeRoute(updateWorkspace, assertCanChangeWorkspace, update),
  readRoute(getSignInRule, allowManagers, readSignInRule),
  writeRoute(updateSignInRule, assertCanChangeSignInRule, changeSignInRule),
  readRoute(getSecondFactorStatus, allowAnyRole, readSecondFactorStatus),
  readRoute(getUsage, allowManagers, readUsage),
]
