import { allowManagers } from '#core/managers.ts'
import { type Operation, readRoute } from '#core/route.ts'
import { listAudit } from './internal.ts'
import { selectAuditEntries } from './store.ts'

const list: Operation<typeof listAudit> = async (tx, _, { query, page }) => {
  const { action, user_id, before } = query
  const has = {
    action: action !== undefined,
    person: user_id !== undefined,
    before: before !== undefined,
  }
  const rows = await tx.all(selectAuditEntries(has), {
    action: action ?? '',
    user_id: user_id ?? '',
    before: before ?? '',
    below: Number(page.after?.[0] ?? Number.MAX_SAFE_INTEGER),
    limit: page.limit,
  })
  return page.toPage(rows)
}

export const audit = [readRoute(listAudit, allowManagers, list)]
