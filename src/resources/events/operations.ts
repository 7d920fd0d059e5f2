import { eventsExpired } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { listEvents } from './contract.ts'
import { eventsAfter, oldestKept } from './store.ts'

export const list: Operation<typeof listEvents> = async (tx, _, { query, page }) => {
  const { after_sequence, type, project_id } = query
  const after = page.after ? Number(page.after[0]) : (after_sequence ?? 0)
  const has = { type: type !== undefined, project_id: project_id !== undefined }
  const filters = { type: type ?? [], project_id: project_id ?? '' }
  const rows = await tx.all(eventsAfter(has), { ...filters, after, limit: page.limit })
  if (after_sequence !== undefined) {
    // After the page was read: what leaves the log between the two statements must not go unnoticed.
    const { sequence } = (await tx.one(oldestKept, {})) ?? { sequence: 1 }
    if (after < sequence - 1) throw eventsExpired('after_sequence', sequence)
  }
  return page.cut(rows)
}
