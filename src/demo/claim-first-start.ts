import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { workspacesAfter } from '#db/retention/purge.ts'

/**
 * Returns whether this is the very first start of an empty installation, and records it. Only one
 * process ever gets true, and only once.
 */
export const claimFirstStart = (storage: Storage): Promise<boolean> =>
  storage.write(ANONYMOUS_ACTOR, async (tx) => {
    const isFirst = (await tx.run(recordFirstStart, { at: tx.now })) === 1
    return isFirst && (await tx.one(workspacesAfter, { after: '', limit: 1 })) === undefined
  })

const recordFirstStart = unscopedCommand((db, $: { at: string }) =>
  db
    .insertInto('installation')
    .values({ name: 'first_start', value: $.at })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)
