import { pickSlots, unscopedCommand } from '../core/statement.ts'

interface InstallationValue {
  name: string
  value: string
}

/** Inserts a value of the installation unless it exists. */
export const ensureInstallationValue = unscopedCommand((db, $: InstallationValue) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.doNothing()),
)

/** Inserts or replaces a value of the installation. */
export const upsertInstallationValue = unscopedCommand((db, $: InstallationValue) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
)

/** Replaces a value of the installation if it still is the one that the caller has read. */
export const replaceInstallationValue = unscopedCommand(
  (db, $: InstallationValue & { was: string }) =>
    db
      .updateTable('installation')
      .set({ value: $.value })
      .where('name', '=', $.name)
      .where('value', '=', $.was),
)
