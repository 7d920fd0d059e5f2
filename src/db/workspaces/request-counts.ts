import { sql } from 'kysely'
import { command, type Scoped, unscopedCommand } from '../core/statement.ts'
import type { RequestCountRow } from '../schema/tables.ts'

export type RequestCount = Omit<RequestCountRow, 'workspace_id'>

/** Adds to the counts of this and other processes; does nothing if the workspace is deleted. */
export const addRequestCounts = command(
  (db, $: Scoped<{ counts: readonly RequestCount[] }>, { engine }) => {
    const list = sql`${$.counts}`
    const countRows =
      engine === 'sqlite'
        ? sql<object>`json_each(${list})`.as('one')
        : sql<object>`json_array_elements(${list}::json)`.as<'one'>(sql`one (value)`)
    const text = (name: keyof RequestCount) => sql<string>`one.value ->> ${sql.lit(name)}`
    const whole = (name: keyof RequestCount) => sql<number>`cast(${text(name)} as integer)`
    return db
      .insertInto('request_counts')
      .columns([
        'workspace_id',
        'at',
        'credential_id',
        'credential_type',
        'name',
        'used',
        'refused',
      ])
      .expression((is) =>
        is
          .selectFrom(['workspaces', countRows])
          .select([
            'workspaces.id',
            text('at').as('at'),
            text('credential_id').as('credential_id'),
            text('credential_type').as('credential_type'),
            text('name').as('name'),
            whole('used').as('used'),
            whole('refused').as('refused'),
          ]),
      )
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'at', 'credential_id']).doUpdateSet({
          used: sql`request_counts.used + excluded.used`,
          refused: sql`request_counts.refused + excluded.refused`,
        }),
      )
  },
)

/** Counts deleted per step, so that other writers do not wait long. */
export const REQUEST_COUNT_BATCH_SIZE = 500

/** Deletes a batch of old counts; a full batch means that there may be more. */
export const deleteOldRequestCounts = unscopedCommand((db, $: { before: string }) =>
  db.deleteFrom('request_counts').where(
    'at',
    '<=',
    db
      .selectFrom(
        db
          .selectFrom('request_counts')
          .select('at')
          .where('at', '<=', $.before)
          .orderBy('at')
          .limit(REQUEST_COUNT_BATCH_SIZE)
          .as('oldest'),
      )
      .select((is) => is.fn.max('oldest.at').as('latest')),
  ),
)
