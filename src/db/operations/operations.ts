import type { Selectable } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped } from '../core/statement.ts'
import type { OperationRow } from '../schema/tables.ts'

/** The events of an operation in the log. */
export type OperationRange = Pick<OperationRow, 'first_sequence' | 'last_sequence'>

/** Stores the operations of a write with the ranges of their events, in the same transaction. */
export async function writeOperations(
  tx: WriteTx,
  operations: ReadonlyMap<string, OperationRange>,
): Promise<void> {
  const author = authorOf(tx)
  const rows = [...operations].map(([id, range]) => ({ ...author, ...range, id, undoes_id: null }))
  await tx.runEach(insertOperation, rows)
}

type NewOperation = Omit<Selectable<OperationRow>, 'workspace_id' | 'undone_by_id'>

/**
 * Stores the current operation before its events, of which it may have none: it takes back another one, or its
 * records have no events.
 */
export async function noteOperation(tx: WriteTx, undoes_id: string | null = null): Promise<void> {
  const row = { ...authorOf(tx), id: tx.operation_id, first_sequence: 1, last_sequence: 0 }
  await tx.run(insertOperation, { ...row, undoes_id })
}

function authorOf({ actor, now: created_at }: WriteTx) {
  const { type: actor_type, user_id, import_id = null } = actor
  const credential_id = actor_type === 'user' ? null : actor.credential_id
  return { actor_type, user_id, credential_id, import_id, created_at }
}

/** It may have been noted before, and one with very many events stores them in several steps. */
const insertOperation = command((db, $: Scoped<NewOperation>) =>
  db
    .insertInto('operations')
    .values({
      workspace_id: $.workspace_id,
      ...pickSlots(
        $,
        'id',
        'actor_type',
        'user_id',
        'credential_id',
        'import_id',
        'created_at',
        'first_sequence',
        'last_sequence',
        'undoes_id',
      ),
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'id']).doUpdateSet((operation) => ({
        first_sequence: operation
          .case()
          .when('operations.last_sequence', '=', 0)
          .then($.first_sequence)
          .else(operation.ref('operations.first_sequence'))
          .end(),
        last_sequence: $.last_sequence,
      })),
    ),
)

export const rangeOfOperation = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('operations').select(['first_sequence', 'last_sequence']).where('id', '=', $.id),
)

/** The events of a range, with what says who may read them. */
export const eventsInRange = query(
  (db, $: Scoped<{ first: number; last: number; limit: number }>) =>
    db
      .selectFrom('events')
      .select(['sequence', 'type', 'project_id', 'payload'])
      .where('sequence', '>=', $.first)
      .where('sequence', '<=', $.last)
      .orderBy('sequence')
      .limit($.limit),
)

/** The oldest operations. */
export const operationsBefore = query((db, $: Scoped<{ before_id: string; limit: number }>) =>
  db
    .selectFrom('operations')
    .select('id')
    .where('id', '<', $.before_id)
    .orderBy('id')
    .limit($.limit),
)

export const deleteOperations = command((db, $: Scoped<{ through_id: string }>) =>
  db.deleteFrom('operations').where('id', '<=', $.through_id),
)
