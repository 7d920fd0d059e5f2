import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type pg from 'pg'
import { type Built, query, type Scoped } from '#storage/statement.ts'
import { attnumsOf, type Planned, unbound, unspread } from '#test/support/distribution.ts'

/**
 * The tables can be spread by workspace over the machines of an existing engine, such as Citus: keys carry
 * the workspace, and statements keep to one. There is no such engine here; this is what it would ask for.
 */
const ROOT = join(import.meta.dirname, '../..')

/** What looks at tables of all workspaces, and why that is no part of a request, or few rows. */
const ACROSS: Record<string, string> = {
  'src/storage/abandoned.ts memberships': 'upkeep: who has no workspace any more',
  'src/storage/audit-log.ts audit_entries': 'upkeep: chains with entries that are old',
  'src/storage/audit-log.ts audit_heads': 'command line and log: the ends of all chains',
  'src/archive/put.ts projects': 'import: whether an id is taken',
  'src/storage/comment-words.ts comments': 'upkeep: comments from before there was a search',
  'src/storage/deleted-workspaces.ts workspaces': 'upkeep: those that are to be erased',
  'src/storage/files.ts doomed_files': 'upkeep: files to take away',
  'src/storage/notification-letters.ts notification_letters': 'upkeep: letters to be sent',
  'src/storage/notification-letters.ts notifications': 'upkeep: for whom a mail is due',
  'src/storage/notifications-due.ts notifications': 'upkeep: notifications that are old',
  'src/storage/outbox.ts workspaces': 'notices: how many others have made',
  'src/storage/request-counts.ts request_counts': 'upkeep: counts that are old',
  'src/storage/upkeep.ts replies': 'upkeep: replies that are old',
  'src/storage/upkeep.ts workspaces': 'upkeep: goes through all',
  'src/storage/upkeep.ts time_entries': 'upkeep: timers that run too long',
  'src/delivery/backlog.ts webhooks': 'metrics',
  'src/delivery/backlog.ts workspaces': 'metrics',
  'src/delivery/home-store.ts webhooks': 'whether there is any',
  'src/delivery/round.ts webhooks': 'dispatchers: where something is due',
  'src/delivery/round.ts workspaces': 'dispatchers: where events wait',
  'src/delivery/round.ts replays': 'dispatchers: where a replay is',
  'src/resources/sessions/store.ts memberships': 'the workspaces of a person',
  'src/identity/demand.ts workspaces': 'whether some workspace of a person demands two factors',
  'src/identity/erasure.ts memberships': 'a person is erased wherever a member',
  'src/storage/erasure.ts memberships': 'upkeep: the workspaces of a person',
  'src/identity/profile.ts memberships': 'a person is renamed wherever a member',
  'src/resources/exports/store.ts exports': 'background: what is to be made, and what is old',
  'src/resources/imports/store.ts imports':
    'background: what is to be read and run, and what is old',
  'src/resources/projects/store.ts projects': 'command line: the workspace of a project',
}

/** A table that is whole on each machine must not refer to one that is spread: there, these keys go. */
const OUTWARD = [
  ...['api_keys → memberships', 'api_keys → workspaces', 'applications → workspaces'],
  ...['grants → memberships', 'grants → workspaces', 'invitations → workspaces'],
  'sessions → memberships',
]

// Before anything else loads what builds statements.
const known = await everyStatement()
const { migrateStore } = await import('#storage/open.ts')
const { emptyDatabase } = await import('#test/support/store.ts')

let admin: pg.Client
before(async () => {
  const database = await emptyDatabase()
  admin = database.admin
  await migrateStore({ dataDir: '', databaseUrl: database.url })
})

test('every unique key and every reference of what is spread carries the workspace', async () => {
  assert.deepEqual(await unspread(admin), { faults: [], outward: OUTWARD })
  await admin.query(`begin;
    create unique index tags_words on tags (project_id, name_words);
    create table strange (name text primary key, workspace_id text);
    alter table tasks add constraint tasks_of_all unique (id);
    alter table comments add foreign key (task_id) references tasks (id);
    create table nowhere (name text)`)
  assert.deepEqual((await unspread(admin)).faults.toSorted(), [
    'comments_task_id_fkey of comments crosses workspaces',
    'nowhere has no workspace_id',
    'strange_pkey of strange is unique without it',
    'tags_words of tags is unique without it',
    'tasks_of_all of tasks is unique without it',
  ])
  await admin.query('rollback')
})

test('every statement that names a workspace keeps to it on every table', async () => {
  assert.ok(known.length > 300, `${known.length} statements`)
  const across = new Set<string>()
  for (const { text, isOfAll, at } of known) {
    const tables = await tablesAcross(text)
    if (isOfAll) for (const table of tables) across.add(`${at} ${table}`)
    else assert.deepEqual(tables, [], `${at}: ${text('postgres').sql}`)
  }
  assert.deepEqual([...across].toSorted(), Object.keys(ACROSS).toSorted())
})

test('a join that forgets the workspace is found, and a row that is put into another one', async () => {
  const astray = query((db, $: Scoped) =>
    db
      .selectFrom('tasks')
      .innerJoin('comments', 'comments.task_id', 'tasks.id')
      .select('comments.body')
      .where('tasks.workspace_id', '=', $.workspace_id),
  )
  assert.deepEqual(await tablesAcross(astray.text), ['comments'])
  const other = query((db, $: Scoped<{ other: string }>) =>
    db
      .selectFrom('tasks')
      .innerJoin('comments', 'comments.workspace_id', 'tasks.workspace_id')
      .select('comments.body')
      .where('tasks.workspace_id', '=', $.other)
      .where('comments.task_id', '=', $.workspace_id),
  )
  assert.notDeepEqual(await tablesAcross(other.text), [])
  const put: Built['text'] = () => ({
    sql: `insert into project_prefixes (workspace_id, prefix, project_id)
      select prefix, id, id from projects where workspace_id = $1`,
    values: astray.text('postgres').values,
  })
  assert.deepEqual(await tablesAcross(put), ['insert into project_prefixes'])
})

interface Known extends Built {
  /** The file that builds it. */
  at: string
}

/** The statements that the program builds when it loads; those of shapes are run by scenarios. */
async function everyStatement(): Promise<Known[]> {
  const known: Known[] = []
  const note = (built: unknown) => {
    const [at = ''] = /src\/(?!storage\/statement)[^:]+/.exec(new Error().stack ?? '') ?? []
    known.push({ ...(built as Built), at })
  }
  subscribe('docket:statement', note)
  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    const builds = /from '(#storage|\.)\/statement\.ts'/.test(
      readFileSync(join(ROOT, file), 'utf8'),
    )
    if (builds && !file.endsWith('.test.ts')) await import(join(ROOT, file))
  }
  unsubscribe('docket:statement', note)
  return known
}

async function tablesAcross(text: Built['text']): Promise<string[]> {
  const { sql, values } = text('postgres')
  const { rows } = await admin.query<Planned>(`explain (verbose, generic_plan, format json) ${sql}`)
  const [planned] = rows[0]?.['QUERY PLAN'] ?? []
  assert.ok(planned, sql)
  return [...new Set(unbound(planned.Plan, values, await attnumsOf(admin)))]
}
