import { managersOnly } from '#core/managers.ts'
import { anyone, route } from '#core/route.ts'
import {
  getDeletion,
  getMissing,
  getSignInRule,
  getUsage,
  getWorkspace,
  restoreWorkspace,
  updateSignInRule,
  updateWorkspace,
} from './internal.ts'
import { changer, deletion, get, ownersOnly, restore, update, usage } from './operations.ts'
import { demand, demander, missing, rule } from './sign-in.ts'

export const workspace = [
  route(getWorkspace, anyone, get),
  route(getDeletion, ownersOnly, deletion),
  route(restoreWorkspace, ownersOnly, restore),
  route(updateWorkspace, changer, update),
  route(getSignInRule, managersOnly, rule),
  route(updateSignInRule, demander, demand),
  route(getMissing, anyone, missing),
  route(getUsage, managersOnly, usage),
]
