import type { ReadTx, WriteTx } from '#core/tx.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'

/** The demo that waits for somebody to make it their own. */
export interface Demo {
  workspace_id: string
  /** Who can sign in, with what was printed. */
  user_id: string
}

/** Notes the demo that has just been made. */
export async function noteDemo(tx: WriteTx, demo: Demo): Promise<void> {
  await tx.run(insertDemo, { value: JSON.stringify(demo) })
}

/** The demo, until it is somebody's. */
export async function pendingDemo(tx: ReadTx): Promise<Demo | undefined> {
  const noted = await tx.one(demoNoted, {})
  return noted && (JSON.parse(noted.value) as Demo)
}

/** It is somebody's now. Of two who take it at once one is told false. */
export const takeDemo = async (tx: WriteTx): Promise<boolean> => (await tx.run(forgetDemo, {})) > 0

const NAME = 'demo'

const insertDemo = commandOfAll((db, $: { value: string }) =>
  db.insertInto('installation').values({ name: NAME, value: $.value }),
)

const demoNoted = queryOfAll((db) =>
  db.selectFrom('installation').select('value').where('name', '=', NAME),
)

const forgetDemo = commandOfAll((db, _: object) =>
  db.deleteFrom('installation').where('name', '=', NAME),
)
