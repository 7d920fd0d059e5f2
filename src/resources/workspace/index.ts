import { managersOnly } from '#core/managers.ts'
import { anyone, route } from '#core/route.ts'
import { getUsage, getWorkspace, updateWorkspace } from './internal.ts'
import { changer, get, update, usage } from './operations.ts'

export const workspace = [
  route(getWorkspace, anyone, get),
  route(updateWorkspace, changer, update),
  route(getUsage, managersOnly, usage),
]
