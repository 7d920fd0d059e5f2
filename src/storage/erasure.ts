import { sql } from 'kysely'
import { command, commandOfAll, query, queryOfAll, row, type Scoped } from './statement.ts'

/** Before the id of each person whose name is still being taken out of what is stored. */
const PREFIX = 'erasing '

interface Mark {
  name: string
  value: string
}

export const markOf = (user_id: string): string => PREFIX + user_id

/** Notes how far the erasure of a person has come. */
export const noteErasure = commandOfAll((db, $: Mark) =>
  db
    .insertInto('installation')
    .values(row($, 'name', 'value'))
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row($, 'value'))),
)

export const endErasure = commandOfAll((db, $: { name: string }) =>
  db.deleteFrom('installation').where('name', '=', $.name),
)

/** The first of the persons who are being erased. */
export const nextErasure = queryOfAll((db) =>
  db
    .selectFrom('installation')
    .select([sql<string>`substr(name, ${sql.lit(PREFIX.length + 1)})`.as('id'), 'value'])
    .where('name', '>', PREFIX)
    .where('name', '<', `${PREFIX}~`)
    .orderBy('name')
    .limit(1),
)

/** The workspaces of which a person is or was a member, those that are deleted too, by id. */
export const workspacesEver = queryOfAll((db, $: { user_id: string }) =>
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

type Events = Scoped<{ after: number; to: number; user_id: string }>

/** Events of a stretch of the log that name a person. */
export const eventsNaming = query((db, $: Events, { engine }) => {
  const place =
    engine === 'postgres'
      ? sql<number>`strpos(payload, ${$.user_id})`
      : sql<number>`instr(payload, ${$.user_id})`
  return db
    .selectFrom('events')
    .select(['sequence', 'payload'])
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>', $.after)
    .where('sequence', '<=', $.to)
    .where(place, '>', 0)
    .orderBy('sequence')
})

export const endsOfLog = query((db, $: Scoped) =>
  db.selectNoFrom((is) => [
    is
      .selectFrom('events')
      .select((of) => of.fn.min<number | null>('sequence').as('first'))
      .where('workspace_id', '=', $.workspace_id)
      .as('first'),
    is
      .selectFrom('events')
      .select((of) => of.fn.max<number | null>('sequence').as('last'))
      .where('workspace_id', '=', $.workspace_id)
      .as('last'),
  ]),
)

export const putPayload = command((db, $: Scoped<{ sequence: number; payload: string }>) =>
  db
    .updateTable('events')
    .set(row($, 'payload'))
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '=', $.sequence),
)

type After = Scoped<{ after: string; limit: number }>

/** Deliveries in order: tests have an envelope of their own. */
export const deliveriesAfter = query((db, $: After) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'payload'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

export const putTestPayload = command((db, $: Scoped<{ id: string; payload: string }>) =>
  db
    .updateTable('deliveries')
    .set(row($, 'payload'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

type AfterAttempt = After & Scoped<{ after_number: number }>

/** Attempts in order, with what receivers have answered. */
export const attemptsAfter = query((db, $: AfterAttempt) =>
  db
    .selectFrom('delivery_attempts')
    .select(['delivery_id', 'number', 'response_body'])
    .where('workspace_id', '=', $.workspace_id)
    .where(sql<boolean>`(delivery_id, number) > (${$.after}, ${$.after_number})`)
    .orderBy('delivery_id')
    .orderBy('number')
    .limit($.limit),
)

export const blankAnswer = command((db, $: Scoped<{ delivery_id: string; number: number }>) =>
  db
    .updateTable('delivery_attempts')
    .set({ response_body: null })
    .where('workspace_id', '=', $.workspace_id)
    .where('delivery_id', '=', $.delivery_id)
    .where('number', '=', $.number),
)

/** The activity of one task: what a key was called that acted for a person. */
export const blankKeyNames = command(
  (db, $: Scoped<{ user_id: string; after: string; to: string }>) =>
    db
      .updateTable('activity')
      .set({ credential_name: null })
      .where('workspace_id', '=', $.workspace_id)
      .where('task_id', '>', $.after)
      .where('task_id', '<=', $.to)
      .where('actor_id', '=', $.user_id)
      .where('credential_name', 'is not', null),
)

export const tasksAfter = query((db, $: After) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '>', $.after)
    .orderBy('id')
    .limit($.limit),
)

/** What was answered to requests of a person: kept for a day to be answered again. */
export const removeRepliesOf = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('replies')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

export const removeInvitationsTo = command((db, $: Scoped<{ email: string }>) =>
  db
    .deleteFrom('invitations')
    .where('workspace_id', '=', $.workspace_id)
    .where('email', '=', $.email),
)

export const blankCounts = command((db, $: Scoped<{ from: string; to: string }>) =>
  db
    .updateTable('request_counts')
    .set({ name: $.to })
    .where('workspace_id', '=', $.workspace_id)
    .where('name', '=', $.from),
)

/** What a person alone was told, has chosen and has pinned in a workspace. */
export const removeOwn = (
  [
    'notifications',
    'notification_letters',
    'notification_settings',
    'task_watches',
    'view_pins',
  ] as const
).map((table) =>
  command((db, $: Scoped<{ user_id: string }>) =>
    db
      .deleteFrom(table)
      .where('workspace_id', '=', $.workspace_id)
      .where('user_id', '=', $.user_id),
  ),
)
