import { managersOnly } from '#core/managers.ts'
import { route } from '#core/route.ts'
import { checkAudit, listAudit } from './internal.ts'
import { check, list } from './operations.ts'

export const audit = [route(listAudit, managersOnly, list), route(checkAudit, managersOnly, check)]
