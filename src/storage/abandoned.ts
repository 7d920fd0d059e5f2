import { sql } from 'kysely'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { command, commandOfAll, query, queryOfAll, row, type Scoped, shaped } from './statement.ts'
import type { Tables } from './tables.ts'

/**
 * Gives a workspace up: from now on nobody can enter it, and upkeep takes away all that is in it. The
 * transaction may be of another workspace. Credentials are remembered by every process: the caller
 * advances the identity generation.
 */
export async function abandonWorkspace(tx: WriteTx, workspace_id: string): Promise<void> {
  const of = { abandoned_id: workspace_id }
  await tx.run(endSessionsIn, of)
  await tx.run(endKeysIn, of)
  await tx.run(endGrantsIn, of)
  await tx.run(endApplicationsIn, of)
  await tx.run(endMembershipsIn, { ...of, removed_at: tx.now })
  await tx.run(noteAbandoned, { name: PREFIX + workspace_id, value: tx.now })
  tx.audit('workspace.deleted', workspace_id, {}, INSTALLATION)
}

const PREFIX = 'abandoned '

/** The workspaces that were given up and are not gone yet. */
export const abandonedWorkspaces = queryOfAll((db) =>
  db
    .selectFrom('installation')
    .select(sql<string>`substr(name, ${sql.lit(PREFIX.length + 1)})`.as('id'))
    .where('name', '>', PREFIX)
    .where('name', '<', `${PREFIX}~`)
    .orderBy('name'),
)

/** Whether a workspace was given up: it is being taken away, and cannot be had back. */
export async function isAbandoned(tx: ReadTx, id: string): Promise<boolean> {
  return (await tx.one(abandonedOf, { name: PREFIX + id })) !== undefined
}

const abandonedOf = queryOfAll((db, $: { name: string }) =>
  db.selectFrom('installation').select('name').where('name', '=', $.name),
)

/** Tables of which all rows of a workspace go, in the order in which they may. */
export const BEFORE_TASKS = [
  ...['sessions', 'api_keys', 'grants', 'applications'],
  ...['replies', 'invitations', 'request_counts', 'import_rows', 'imports', 'exports'],
  ...['notifications', 'notification_letters', 'notification_settings', 'task_watches'],
  ...['replays', 'delivery_attempts', 'deliveries', 'events', 'removed_webhooks', 'webhooks'],
] as const
/** What stays: the audit log tells of what is gone, by ids alone, until it is old. */
export const STAYING = ['audit_entries', 'audit_heads'] as const
export const AFTER_TASKS = [
  ...['view_pins', 'views', 'project_people', 'project_prefixes', 'tags', 'templates', 'projects'],
] as const

/** Takes away some rows of a table. */
export const purgeSome = shaped((table: keyof Tables) =>
  command((db, $: Scoped<{ limit: number }>, { engine }) => {
    const place = sql.ref(engine === 'sqlite' ? 'rowid' : 'ctid')
    const some = sql`select ${place} from ${sql.table(table)} where workspace_id = ${$.workspace_id} limit ${$.limit}`
    return db.deleteFrom(table).where(sql<boolean>`${place} in (${some})`)
  }),
)

export const someTasks = query((db, $: Scoped<{ limit: number }>) =>
  db.selectFrom('tasks').select('id').where('workspace_id', '=', $.workspace_id).limit($.limit),
)

/** Whether a file of the workspace is still to be taken away. */
export const anyDoomedFile = query((db, $: Scoped) =>
  db.selectFrom('doomed_files').select('id').where('workspace_id', '=', $.workspace_id).limit(1),
)

export const peopleOf = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('user_id')
    .limit($.limit),
)

export const removeMembershipOf = command((db, $: Scoped<{ user_id: string }>) =>
  db
    .deleteFrom('memberships')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id),
)

/** Ends the links of somebody who never had a password: who asked for one meant nobody. */
export const removeIdleResets = commandOfAll((db, $: { id: string }) =>
  db
    .deleteFrom('password_resets')
    .where('user_id', '=', (is) =>
      is.selectFrom('users').select('id').where('id', '=', $.id).where('password_hash', 'is', null),
    ),
)

/** Takes a person away who is nowhere else and could never sign in. */
export const removeStranded = commandOfAll((db, $: { id: string }) =>
  db
    .deleteFrom('users')
    .where('id', '=', $.id)
    .where('password_hash', 'is', null)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('memberships')
            .select('user_id')
            .whereRef('memberships.user_id', '=', 'users.id'),
        ),
      ),
    ),
)

export const removeWorkspace = command((db, $: Scoped) =>
  db.deleteFrom('workspaces').where('id', '=', $.workspace_id),
)

export const forgetAbandoned = commandOfAll((db, $: { abandoned_id: string }) =>
  db
    .deleteFrom('installation')
    .where('name', '=', sql<string>`${sql.lit(PREFIX)} || ${$.abandoned_id}`),
)

type Of = { abandoned_id: string }

const endSessionsIn = commandOfAll((db, $: Of) =>
  db.deleteFrom('sessions').where('workspace_id', '=', $.abandoned_id),
)

const endKeysIn = commandOfAll((db, $: Of) =>
  db.deleteFrom('api_keys').where('workspace_id', '=', $.abandoned_id),
)

const endGrantsIn = commandOfAll((db, $: Of) =>
  db.deleteFrom('grants').where('workspace_id', '=', $.abandoned_id),
)

/** With them ends what persons of other workspaces have allowed them. */
const endApplicationsIn = commandOfAll((db, $: Of) =>
  db.deleteFrom('applications').where('workspace_id', '=', $.abandoned_id),
)

const endMembershipsIn = commandOfAll((db, $: Of & { removed_at: string }) =>
  db
    .updateTable('memberships')
    .set({ removed_at: $.removed_at })
    .where('workspace_id', '=', $.abandoned_id)
    .where('removed_at', 'is', null),
)

const noteAbandoned = commandOfAll((db, $: { name: string; value: string }) =>
  db.insertInto('installation').values(row($, 'name', 'value')),
)
