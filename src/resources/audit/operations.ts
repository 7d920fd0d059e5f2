import type { Operation } from '#core/route.ts'
import { checkStretch } from '#storage/audit-check.ts'
import type { checkAudit, listAudit } from './internal.ts'
import { entriesWhere } from './store.ts'

export const list: Operation<typeof listAudit> = async (tx, _, { query, page }) => {
  const { action, user_id, before } = query
  const has = {
    ...{ action: action !== undefined, person: user_id !== undefined },
    before: before !== undefined,
  }
  const rows = await tx.all(entriesWhere(has), {
    ...{ action: action ?? '', user_id: user_id ?? '', before: before ?? '' },
    below: Number(page.after?.[0] ?? Number.MAX_SAFE_INTEGER),
    limit: page.limit,
  })
  return page.cut(rows)
}

export const check: Operation<typeof checkAudit> = async (tx, _, { query }) => {
  const { oldest, newest, fault, has_more } = await checkStretch(tx, query.to)
  return {
    from: oldest?.sequence ?? null,
    from_at: oldest?.at ?? null,
    to: newest?.sequence ?? null,
    fault: fault ?? null,
    has_more,
  }
}
