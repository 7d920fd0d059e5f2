import type { ReadTx } from '#core/tx.ts'
import { MOST_MARKED } from './internal.ts'
import { unreadCount } from './store.ts'

/** How many of the actor's notifications are open and not read; counted up to a bound. */
export async function unreadOf(tx: ReadTx): Promise<number> {
  const found = await tx.one(unreadCount, { now: tx.now, limit: MOST_MARKED })
  return Number(found?.count ?? 0)
}
