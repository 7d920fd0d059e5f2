import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'

/** A demo workspace that nobody has claimed yet. */
export interface UnclaimedDemo {
  workspace_id: string
  /** The user who can sign in with the printed credentials. */
  user_id: string
}

/** Records the demo that has just been created. */
export async function recordUnclaimedDemo(tx: WriteTx, demo: UnclaimedDemo): Promise<void> {
  await tx.run(insertDemo, { value: JSON.stringify(demo) })
}

/** Returns the demo, unless it has been claimed. */
export async function findUnclaimedDemo(tx: ReadTx): Promise<UnclaimedDemo | undefined> {
  const row = await tx.one(demoRow, {})
  return row && (JSON.parse(row.value) as UnclaimedDemo)
}

/** Marks the demo as claimed. If two requests claim it at the same time, one of them gets false. */
export const claimDemo = async (tx: WriteTx): Promise<boolean> => (await tx.run(deleteDemo, {})) > 0

const INSTALLATION_KEY = 'demo'

const insertDemo = unscopedCommand((db, $: { value: string }) =>
  db.insertInto('installation').values({ name: INSTALLATION_KEY, value: $.value }),
)

const demoRow = unscopedQuery((db) =>
  db.selectFrom('installation').select('value').where('name', '=', INSTALLATION_KEY),
)

const deleteDemo = unscopedCommand((db, _: object) =>
  db.deleteFrom('installation').where('name', '=', INSTALLATION_KEY),
)
