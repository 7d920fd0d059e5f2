import { sql } from 'kysely'
import { command, commandOfAll, type Scoped } from './statement.ts'
import type { RequestCountRow } from './tables.ts'

export type RequestCount = Omit<RequestCountRow, 'workspace_id'>

/** Adds to what is counted already, by this process or another; nothing where the workspace is gone. */
export const addRequestCounts = command(
  (db, $: Scoped<{ counts: readonly RequestCount[] }>, { engine }) => {
    const list = sql`${$.counts}`
    const each =
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
          .selectFrom(['workspaces', each])
          .select([
            'workspaces.id',
            text('at').as('at'),
            text('credential_id').as('credential_id'),
            text('credential_type').as('credential_type'),
            text('name').as('name'),
            whole('used').as('used'),
            whole('refused').as('refused'),
          ])
          .where('workspaces.id', '=', $.workspace_id),
      )
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'at', 'credential_id']).doUpdateSet({
          used: sql`request_counts.used + excluded.used`,
          refused: sql`request_counts.refused + excluded.refused`,
        }),
      )
  },
)

/** How many counts one step forgets, so that it holds nobody up. */
export const COUNTS_AT_ONCE = 500

/** Forgets some of what was counted before; tells by its count whether there may be more. */
export const forgetOldCounts = commandOfAll((db, $: { before: string }) =>
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
          .limit(COUNTS_AT_ONCE)
          .as('oldest'),
      )
      .select((is) => is.fn.max('oldest.at').as('latest')),
  ),
)
