import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { RecoveryCodeRow, SecondFactorRow } from '#db/schema/tables.ts'

interface SecondFactorOwner {
  user_id: string
}

export const totpOfUser = unscopedQuery((db, $: SecondFactorOwner) =>
  db
    .selectFrom('second_factors')
    .select(['sealed_secret', 'last_step', 'enabled_at'])
    .where('user_id', '=', $.user_id),
)

/** Replaces a pending secret, but never an enabled one. */
export const upsertPendingTotp = unscopedCommand((db, $: Omit<SecondFactorRow, 'enabled_at'>) =>
  db
    .insertInto('second_factors')
    .values(pickSlots($, 'user_id', 'sealed_secret', 'last_step', 'created_at'))
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet(pickSlots($, 'sealed_secret', 'last_step', 'created_at'))
        .where('second_factors.enabled_at', 'is', null),
    ),
)

export const markTotpEnabled = unscopedCommand(
  (db, $: SecondFactorOwner & { enabled_at: string }) =>
    db
      .updateTable('second_factors')
      .set({ enabled_at: $.enabled_at })
      .where('user_id', '=', $.user_id),
)

/** If one code is used twice at the same time, only one of the updates changes the row. */
export const advanceTotpStep = unscopedCommand((db, $: SecondFactorOwner & { step: number }) =>
  db
    .updateTable('second_factors')
    .set({ last_step: $.step })
    .where('user_id', '=', $.user_id)
    .where('last_step', '<', $.step),
)

export const deleteTotp = unscopedCommand((db, $: SecondFactorOwner) =>
  db.deleteFrom('second_factors').where('user_id', '=', $.user_id),
)

export const recoveryCodesOfUser = unscopedQuery((db, $: SecondFactorOwner) =>
  db.selectFrom('recovery_codes').select('hash').where('user_id', '=', $.user_id),
)

export const insertRecoveryCode = unscopedCommand((db, $: RecoveryCodeRow) =>
  db.insertInto('recovery_codes').values(pickSlots($, 'user_id', 'hash')),
)

export const removeRecoveryCode = unscopedCommand((db, $: RecoveryCodeRow) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.user_id).where('hash', '=', $.hash),
)

export const removeRecoveryCodes = unscopedCommand((db, $: SecondFactorOwner) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.user_id),
)
