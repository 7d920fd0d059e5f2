import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { commandOfAll } from '#storage/statement.ts'
import { workspacesAfter } from '#storage/upkeep.ts'

/**
 * Whether this is the very first start of an empty installation. Only one process is ever told so,
 * and only once, whatever it makes of it.
 */
export const isFirstStart = (storage: Storage): Promise<boolean> =>
  storage.write(NOBODY, async (tx) => {
    const first = (await tx.run(noteStart, { at: tx.now })) === 1
    return first && (await tx.one(workspacesAfter, { after: '', limit: 1 })) === undefined
  })

const noteStart = commandOfAll((db, $: { at: string }) =>
  db
    .insertInto('installation')
    .values({ name: 'first_start', value: $.at })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)
