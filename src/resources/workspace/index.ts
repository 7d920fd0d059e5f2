import { managersOnly } from '#core/managers.ts'
import { anyone, route } from '#core/route.ts'
import {
  getDeletion,
  getUsage,
  getWorkspace,
  restoreWorkspace,
  updateWorkspace,
} from './internal.ts'
import { changer, deletion, get, ownersOnly, restore, update, usage } from './operations.ts'

export const workspace = [
  route(getWorkspace, anyone, get),
  route(getDeletion, ownersOnly, deletion),
  route(restoreWorkspace, ownersOnly, restore),
  route(updateWorkspace, changer, update),
  route(getUsage, managersOnly, usage),
]
