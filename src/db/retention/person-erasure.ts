import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import {
  command,
  pickSlots,
  query,
  rawStatement,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import { type PersonRule, TABLES } from '../schema/tables.ts'
import { sizeOf } from './step-rows.ts'

/**
 * Ends what a removed member would get back with a new membership, except credentials and
 * invitations, which src/resources/members/membership.ts ends. The erasure of a person removes more
 * (src/jobs/redact-erased-people.ts).
 */
export async function endPersonReferences(tx: WriteTx, user_id: string): Promise<void> {
  await tx.run(clearLead, { user_id, now: tx.now })
  for (const remove of ROW_DELETIONS) await tx.run(remove, { user_id })
}

type PersonParams = Scoped<{ user_id: string }>

/** Statements that delete the rows of a person, one for each table with a column of one of these rules. */
const rowDeletions = (...rules: readonly PersonRule[]) =>
  TABLES.flatMap(([table, { people = {} }]) =>
    Object.entries(people)
      .filter(([, rule]) => rule !== undefined && rules.includes(rule))
      .map(([column]) =>
        command((db, $: PersonParams) =>
          rawStatement(
            db,
            sql`delete from ${sql.table(table)}
              where workspace_id = ${$.workspace_id} and ${sql.ref(column)} = ${$.user_id}`,
          ),
        ),
      ),
  )

const ROW_DELETIONS = rowDeletions('deleted')

const clearLead = command((db, $: Scoped<{ user_id: string; now: string }>) =>
  db
    .updateTable('projects')
    .set({ lead_id: null, updated_at: $.now })
    .where('lead_id', '=', $.user_id),
)

/** Prefix of the marks in `installation` for users whose erasure is under way. */
const ERASURE_PREFIX = 'erasing '

interface ErasureMark {
  name: string
  value: string
}

export const erasureMarkName = (user_id: string): string => ERASURE_PREFIX + user_id

/** Saves the progress of a user's erasure. */
export const saveErasureProgress = unscopedCommand((db, $: ErasureMark) =>
  db
    .insertInto('installation')
    .values(pickSlots($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet(pickSlots($, 'value'))),
)

/** The mark of a user whose erasure has begun, until the account is a tombstone. */
const ERASURE_BEGUN = JSON.stringify({ state: 'begun' })

/**
 * Marks that the erasure of a user has begun, unless there is a mark: that of a tombstone holds the only
 * copy of the name that is still to be redacted.
 */
export const beginErasure = unscopedCommand((db, $: { name: string }) =>
  db
    .insertInto('installation')
    .values({ ...pickSlots($, 'name'), value: ERASURE_BEGUN })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

/** Removes that mark. Of two transactions that do so at the same time, one changes no row. */
export const claimErasure = unscopedCommand((db, $: { name: string }) =>
  db.deleteFrom('installation').where('name', '=', $.name).where('value', '=', ERASURE_BEGUN),
)

export const endErasure = unscopedCommand((db, $: { name: string }) =>
  db.deleteFrom('installation').where('name', '=', $.name),
)

const firstErasure = (comparison: '=' | '<>') =>
  unscopedQuery((db) =>
    db
      .selectFrom('installation')
      .select([sql<string>`substr(name, ${sql.lit(ERASURE_PREFIX.length + 1)})`.as('id'), 'value'])
      .where('name', '>', ERASURE_PREFIX)
      .where('name', '<', `${ERASURE_PREFIX}~`)
      .where('value', comparison, ERASURE_BEGUN)
      .orderBy('name')
      .limit(1),
  )

/** The first user whose erasure has begun, and whose account is no tombstone yet. */
export const nextBegunErasure = firstErasure('=')

/** The first user whose account is a tombstone, and whose name is still to be redacted elsewhere. */
export const nextErasure = firstErasure('<>')

/** All of the latter. */
export const erasuresUnderWay = unscopedQuery((db) =>
  db
    .selectFrom('installation')
    .select(['name', 'value'])
    .where('name', '>', ERASURE_PREFIX)
    .where('name', '<', `${ERASURE_PREFIX}~`)
    .where('value', '<>', ERASURE_BEGUN),
)

export const erasedUserOf = (markName: string): string => markName.slice(ERASURE_PREFIX.length)

/** Workspaces of which a user is or was a member, including deleted ones, by id. */
export const workspacesEverJoined = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select([
      'memberships.workspace_id as id',
      'memberships.role',
      'memberships.removed_at',
      'workspaces.deleted_at',
    ])
    .where('memberships.user_id', '=', $.user_id)
    .orderBy('memberships.workspace_id'),
)

type EventsMentioningUserParams = Scoped<{ after: number; to: number; user_id: string }>

/** Events in a range of the log that contain a user's id. */
export const eventsMentioningUser = query((db, $: EventsMentioningUserParams, { engine }) => {
  const place =
    engine === 'postgres'
      ? sql<number>`strpos(payload, ${$.user_id})`
      : sql<number>`instr(payload, ${$.user_id})`
  return db
    .selectFrom('events')
    .select(['sequence', 'payload'])
    .where('sequence', '>', $.after)
    .where('sequence', '<=', $.to)
    .where(place, '>', 0)
    .orderBy('sequence')
})

/** The sizes of the events in a range of the log. */
export const eventSizes = query((db, $: Scoped<{ after: number; to: number }>) =>
  db
    .selectFrom('events')
    .select(['sequence', sizeOf('payload').as('size')])
    .where('sequence', '>', $.after)
    .where('sequence', '<=', $.to)
    .orderBy('sequence'),
)

export const eventLogRange = query((db) =>
  db.selectNoFrom((is) => [
    is
      .selectFrom('events')
      .select((of) => of.fn.min<number | null>('sequence').as('first'))
      .as('first'),
    is
      .selectFrom('events')
      .select((of) => of.fn.max<number | null>('sequence').as('last'))
      .as('last'),
  ]),
)

export const replaceEventPayload = command((db, $: Scoped<{ sequence: number; payload: string }>) =>
  db.updateTable('events').set(pickSlots($, 'payload')).where('sequence', '=', $.sequence),
)

type ErasureBatchParams = Scoped<{ after: string; limit: number }>

/** Deliveries in order of their ids; only test deliveries have a payload of their own. */
export const deliveryPayloadsAfter = query((db, $: ErasureBatchParams) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'payload'])
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

export const replaceDeliveryPayload = command((db, $: Scoped<{ id: string; payload: string }>) =>
  db.updateTable('deliveries').set(pickSlots($, 'payload')).where('id', '=', $.id),
)

type ErasureAttemptBatchParams = ErasureBatchParams & Scoped<{ after_number: number }>

/** Delivery attempts in order, with the response bodies of the receivers. */
export const attemptResponsesAfter = query((db, $: ErasureAttemptBatchParams) =>
  db
    .selectFrom('delivery_attempts')
    .select(['delivery_id', 'number', 'response_body'])
    .where(sql<boolean>`(delivery_id, number) > (${$.after}, ${$.after_number})`)
    .orderBy('delivery_id')
    .orderBy('number')
    .limit($.limit),
)

export const clearAttemptResponse = command(
  (db, $: Scoped<{ delivery_id: string; number: number }>) =>
    db
      .updateTable('delivery_attempts')
      .set({ response_body: null })
      .where('delivery_id', '=', $.delivery_id)
      .where('number', '=', $.number),
)

/** Clears the names of a user's API keys from the activity of a range of tasks. */
export const clearCredentialNames = command(
  (db, $: Scoped<{ user_id: string; after: string; to: string }>) =>
    db
      .updateTable('activity')
      .set({ credential_name: null })
      .where('task_id', '>', $.after)
      .where('task_id', '<=', $.to)
      .where('actor_id', '=', $.user_id)
      .where('credential_name', 'is not', null),
)

export const taskIdsAfter = query((db, $: ErasureBatchParams) =>
  db.selectFrom('tasks').select('id').where('id', '>', $.after).orderBy('id').limit($.limit),
)

export const deleteInvitationsToEmail = command((db, $: Scoped<{ email: string }>) =>
  db.deleteFrom('invitations').where('email', '=', $.email),
)

export const renameInRequestCounts = command((db, $: Scoped<{ from: string; to: string }>) =>
  db.updateTable('request_counts').set({ name: $.to }).where('name', '=', $.from),
)

/** Deletes the rows that belong to one user of a workspace alone. */
export const deletePersonalRows = rowDeletions('deleted', 'erased')
