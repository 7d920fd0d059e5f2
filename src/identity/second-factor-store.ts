import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { RecoveryCodeRow, SecondFactorRow } from '#storage/tables.ts'

interface OfPerson {
  user_id: string
}

export const factorOf = queryOfAll((db, $: OfPerson) =>
  db
    .selectFrom('second_factors')
    .select(['sealed_secret', 'last_step', 'enabled_at'])
    .where('user_id', '=', $.user_id),
)

/** In place of one that was never enabled. */
export const putFactor = commandOfAll((db, $: Omit<SecondFactorRow, 'enabled_at'>) =>
  db
    .insertInto('second_factors')
    .values(row($, 'user_id', 'sealed_secret', 'last_step', 'created_at'))
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(row($, 'sealed_secret', 'last_step', 'created_at'))
        .where('second_factors.enabled_at', 'is', null),
    ),
)

export const enableFactor = commandOfAll((db, $: OfPerson & { enabled_at: string }) =>
  db
    .updateTable('second_factors')
    .set({ enabled_at: $.enabled_at })
    .where('user_id', '=', $.user_id),
)

/** Of two who use one code at once one changes the row. */
export const useStep = commandOfAll((db, $: OfPerson & { step: number }) =>
  db
    .updateTable('second_factors')
    .set({ last_step: $.step })
    .where('user_id', '=', $.user_id)
    .where('last_step', '<', $.step),
)

export const removeFactor = commandOfAll((db, $: OfPerson) =>
  db.deleteFrom('second_factors').where('user_id', '=', $.user_id),
)

export const codesOf = queryOfAll((db, $: OfPerson) =>
  db.selectFrom('recovery_codes').select('hash').where('user_id', '=', $.user_id),
)

export const insertCode = commandOfAll((db, $: RecoveryCodeRow) =>
  db.insertInto('recovery_codes').values(row($, 'user_id', 'hash')),
)

export const removeCode = commandOfAll((db, $: RecoveryCodeRow) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.user_id).where('hash', '=', $.hash),
)

export const removeCodes = commandOfAll((db, $: OfPerson) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.user_id),
)
