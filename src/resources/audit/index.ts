import { allowManagers } from '#core/managers.ts'
import { readRoute } from '#core/route.ts'
import { checkAudit, listAudit } from './internal.ts'
import { check, list } from './operations.ts'

export const audit = [
  readRoute(listAudit, allowManagers, list),
  readRoute(checkAudit, allowManagers, check),
]
