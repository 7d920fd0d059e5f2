import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type pg from 'pg'
import type { DeclaredStatement } from '#db/core/statement.ts'
import { collectStatements } from '#test/support/engines/declared-statements.ts'
import {
  type ExplainRow,
  findUnboundTables,
  findUndistributable,
  readDistributionAttnums,
} from '#test/support/engines/table-distribution.ts'
import { getPostgresBinaries } from '#test/support/postgres/postgres-binaries.ts'

/**
 * The tables can be distributed by workspace over several machines, for example by Citus: keys
 * contain the workspace, and statements stay within one. There is no such engine here; these tests
 * check what it would require.
 */
/** Statements across workspaces, and why they are no part of a request or read few rows. */
const ACROSS_WORKSPACES: Record<string, string> = {
  'src/db/workspaces/deleted-workspaces.ts memberships': 'upkeep: who has no workspace any more',
  'src/db/audit/audit-log.ts audit_heads': 'upkeep: logs with entries that are old',
  'src/archive/import/line-loaders.ts projects': 'import: whether an id is taken',
  'src/db/workspaces/deleted-workspaces.ts workspaces': 'upkeep: those that are to be erased',
  'src/db/retention/pending-file-deletions.ts doomed_files': 'upkeep: files to take away',
  'src/db/installation/record-lists.ts memberships':
    'command line: how many members and workspaces',
  'src/db/installation/record-lists.ts workspaces': 'command line: all workspaces',
  'src/db/jobs/jobs.ts jobs': 'metrics; command line; background: what is due, and what has ended',
  'src/db/jobs/jobs.ts insert into jobs': 'a person is renamed wherever a member',
  'src/db/notifications/notification-emails.ts notifications': 'upkeep: for whom a mail is due',
  'src/db/notifications/push-devices.ts memberships':
    'which browsers of a person get notifications, in all workspaces',
  'src/db/notifications/push-devices.ts push_devices':
    'of a session, which moves between workspaces; upkeep: of ended sessions',
  'src/db/notifications/due-notifications.ts notifications': 'upkeep: notifications that are old',
  'src/db/notifications/due-notifications.ts memberships': 'upkeep: time zones of some workspaces',
  'src/db/notifications/due-notifications.ts workspaces': 'upkeep: where tasks are due',
  'src/db/notifications/due-notifications.ts webhooks': 'upkeep: where webhooks fail',
  'src/db/deliveries/delivery-retention.ts removed_webhooks': 'upkeep: where webhooks were deleted',
  'src/db/events/outbox.ts workspaces':
    'start: the newest event of each; hints: what others have changed',
  'src/db/workspaces/stored-bytes.ts workspaces': 'upkeep: whose texts are to be counted',
  'src/db/workspaces/request-counts.ts request_counts': 'upkeep: counts that are old',
  'src/db/retention/purge.ts replies': 'upkeep: replies that are old',
  'src/db/retention/purge.ts workspaces': 'upkeep: goes through all',
  'src/db/retention/purge.ts time_entries': 'upkeep: timers that run too long',
  'src/db/deliveries/delivery-queue.ts webhooks': 'metrics',
  'src/db/deliveries/delivery-queue.ts workspaces': 'metrics',
  'src/webhooks/installation-id.ts webhooks': 'whether there is any',
  'src/webhooks/queue.ts webhooks': 'dispatchers: where something is due',
  'src/webhooks/queue.ts workspaces': 'dispatchers: where events wait',
  'src/webhooks/queue.ts replays': 'dispatchers: where a replay is',
  'src/resources/sessions/store.ts memberships': 'the workspaces of a person',
  'src/accounts/profile/account-access.ts memberships':
    'what has access in all workspaces of a person',
  'src/db/installation/sealed-values.ts jobs': 'command line: what ends with a lost secret',
  'src/db/installation/sealed-values.ts replies': 'command line: what ends with a lost secret',
  'src/auth/second-factor/second-factor.ts workspaces':
    'whether some workspace of a person demands two factors',
  'src/accounts/profile/change-member-profile.ts memberships': 'the other workspaces of a person',
  'src/auth/users/accounts.ts memberships':
    'a person is erased wherever a member; a person is renamed wherever a member',
  'src/db/retention/person-erasure.ts memberships': 'upkeep: the workspaces of a person',
  'src/auth/users/user-access.ts webhooks': 'the webhooks of a person end wherever a member',
  'src/auth/users/user-access.ts insert into removed_webhooks': 'the same, for their logs',
  'src/resources/exports/store.ts exports': 'background: what is to be made, and what is old',
  'src/resources/imports/store.ts imports':
    'background: what is to be read and run, and what is old',
  'src/resources/projects/store.ts projects': 'command line: the workspace of a project',
}

/**
 * Replicated tables cannot reference distributed ones, so these foreign keys would be dropped
 * there.
 */
const KEYS_TO_DISTRIBUTED_TABLES = [
  'api_keys → memberships',
  'api_keys → workspaces',
  'applications → workspaces',
  'grants → memberships',
  'grants → workspaces',
  'invitations → workspaces',
  'sessions → memberships',
]

// This has to run before anything else loads modules that build statements.
const statements = await collectStatements()
const { migrateStore } = await import('#db/installation/open-store.ts')
const { purgeTableRows, TABLES_TO_PURGE } = await import('#db/workspaces/deleted-workspaces.ts')
const { createEmptyDatabase } = await import('#test/support/engines/test-database.ts')

let admin: pg.Client
before(async () => {
  const database = await createEmptyDatabase()
  admin = database.admin
  await migrateStore({ dataDir: '', databaseUrl: database.url })
})

test('every unique key and foreign key of a distributed table contains the workspace', async () => {
  assert.deepEqual(await findUndistributable(admin), {
    faults: [],
    outward: KEYS_TO_DISTRIBUTED_TABLES,
  })
})

/** Plans for any parameters, which these tests read, exist since PostgreSQL 16. */
const hasGenericPlans = getPostgresBinaries().majorVersion >= 16
const skip = hasGenericPlans ? false : 'needs PostgreSQL 16'

test('every statement with a workspace is limited to it on every table', { skip }, async () => {
  assert.ok(statements.length > 300, `${statements.length} statements`)
  const across = new Set<string>()
  for (const { text, isUnscoped, at } of statements) {
    const tables = await findTablesAcross(text)
    if (isUnscoped) for (const table of tables) across.add(`${at} ${table}`)
    else assert.deepEqual(tables, [], `${at}: ${text('postgres').sql}`)
  }
  assert.deepEqual([...across].toSorted(), Object.keys(ACROSS_WORKSPACES).toSorted())
})

test('a purge is limited to the workspace on every table', { skip }, async () => {
  for (const table of TABLES_TO_PURGE) {
    assert.deepEqual(await findTablesAcross(purgeTableRows(table).text), [], table)
  }
})

test('both engines count the same statements as changes of records', () => {
  const differing = statements.filter(
    ({ text, isUnscoped }) =>
      !isUnscoped && text('sqlite').changesRecords !== text('postgres').changesRecords,
  )
  assert.deepEqual(
    differing.map(({ at }) => at),
    [],
  )
})

async function findTablesAcross(text: DeclaredStatement['text']): Promise<string[]> {
  const { sql, values } = text('postgres')
  const { rows } = await admin.query<ExplainRow>(
    `explain (verbose, generic_plan, format json) ${sql}`,
  )
  const [planned] = rows[0]?.['QUERY PLAN'] ?? []
  assert.ok(planned, sql)
  return [...new Set(findUnboundTables(planned.Plan, values, await readDistributionAttnums(admin)))]
}
