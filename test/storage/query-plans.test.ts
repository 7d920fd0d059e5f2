import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { DatabaseEngine, Query, ReadTx, Storage } from '#core/transaction.ts'
import { newestEvent } from '#db/events/outbox.ts'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { addSearchSupport } from '#db/sqlite/connection.ts'
import { openSqlite, restorePlannerStatistics } from '#db/sqlite/open-sqlite.ts'
import { newId } from '#lib/id.ts'
import { CHANGE_TYPES } from '#resources/changes/contract.ts'
import { feedState, numberedChanges } from '#resources/changes/store.ts'
import {
  childrenAfter,
  commentsOfAuthorAfter,
  membersToWalk,
  nextProject,
  tagsAfter,
  tasksAfter,
} from '#resources/changes/walk.ts'
import { createMembership } from '#resources/members/membership.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import {
  blockedTaskCount,
  blockedTasks,
  blockerCount,
  blockerTasks,
  rebuildDependencyLists,
} from '#resources/tasks/statements/links.ts'
import {
  ancestors,
  descendantAtDepth,
  descendants,
  tasksDeletedTogether,
} from '#resources/tasks/statements/related.ts'
import { taskById } from '#resources/tasks/task-json.ts'
import {
  matchedComments,
  matchedTasks,
  type SearchQueryShape,
  selectCandidateCount,
  selectCandidates,
} from '#resources/web-app/search/store.ts'
import { createApp, routes } from '#server/app.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { copyTaskRows, insertTaskLinks } from '../support/data/copied-tasks.ts'
import {
  atEnd,
  closeAfterFile,
  createEmptyDatabase,
  createMigratedDatabase,
  TEST_STORE_OPTIONS,
} from '../support/engines/test-database.ts'
import { openTestDocket, testLog } from '../support/engines/test-docket.ts'
import { generateListQueries } from '../support/scenario/list-queries.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import { multiplyRows } from './multiply-rows.ts'

type ExplainedStatement = Pick<Query<unknown, unknown>, 'text'>

const statementsOf = (statements: Record<string, ExplainedStatement>, engine: DatabaseEngine) =>
  Object.entries(statements).map(([name, { text }]) => ({ name, sql: text(engine).sql }))

/** The plan of a statement on SQLite, line by line. */
const explainSqlite = (db: DatabaseSync, sql: string): string[] =>
  db
    .prepare(`explain query plan ${sql}`)
    .all(...Array(sql.match(/\?/g)?.length ?? 0).fill(null))
    .map(({ detail }) => String(detail))

interface QueryPlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: QueryPlanNode[]
}

const nodesOf = (plan: QueryPlanNode): QueryPlanNode[] => [
  plan,
  ...(plan.Plans ?? []).flatMap(nodesOf),
]

/** The nodes of the plan of a statement on PostgreSQL, whatever its parameters. */
async function explainPostgres(admin: pg.Client, sql: string): Promise<QueryPlanNode[]> {
  const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
}

/** Opens a migrated database file of SQLite, which is filled first. */
async function openSqliteFile(fill: (storage: Storage) => unknown = () => {}) {
  const path = join(createTempDir(), 'docket.db')
  const storage = openSqlite({ path, ...TEST_STORE_OPTIONS })
  await fill(storage)
  await storage.close()
  const db = new DatabaseSync(path)
  atEnd(() => db.close())
  return { path, db }
}

/** Tables whose rows all belong to a workspace. None may be scanned. */
const TENANT_TABLES = [
  'tasks',
  'projects',
  'project_people',
  'project_prefixes',
  'task_numbers',
  'task_assignees',
  'task_tags',
  'task_blocks',
  'tags',
  'comments',
  'deleted_comments',
  'time_entries',
  'webhooks',
  'events',
  'memberships',
  'deliveries',
  'attachments',
  'api_keys',
  'replies',
  'activity',
]
const LISTS = routes
  .map(({ endpoint }) => endpoint)
  // There are only few keys, invitations and sessions.
  .filter(
    ({ path, scope }) =>
      scope !== 'session' || /^\/internal\/(projects|tasks|reports|trash)\b/.test(path),
  )
  .filter(({ method, query, feed, isReport }) => {
    const { properties = {} } = Object(query) as { properties?: object }
    const isList = 'limit' in properties || 'sort' in properties || isReport === true
    // The plans of feeds are below.
    return method === 'GET' && !feed && isList
  })
/** The sessions of a person may send 600 requests a minute, so another one goes on after this many. */
const REQUESTS_PER_PERSON = 500

/** The SQL of a statement on both engines, and the query that first used it. */
interface ListStatement {
  sqlite: string
  postgres: string
  url: string
  isSortOnly: boolean
}

/**
 * Sends every query to every list on SQLite, and returns the statements that were used. A statement
 * has its SQL for both engines, between which operations do not differ, and SQLite answers six
 * times as fast.
 */
async function collectStatements() {
  const { storage, config, server: plain } = await openTestDocket('sqlite')
  const statements = new Map<string, ListStatement>()
  let now = { isSortOnly: false, url: '' }
  const note = (query: Query<unknown, unknown>) => {
    const [sqlite, postgres] = [query.text('sqlite').sql, query.text('postgres').sql]
    const key = `${sqlite} ${postgres}`
    const statement = statements.get(key) ?? { sqlite, postgres, url: now.url, isSortOnly: false }
    statements.set(key, { ...statement, isSortOnly: statement.isSortOnly || now.isSortOnly })
  }
  const { server } = await createApp(observeQueries(storage, note), config, TEST_SECRET, testLog)
  atEnd(() => server.close())
  const team = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  let session = { left: 0, headers: {} }
  const credential = async ({ scope }: Endpoint) => {
    if (scope !== 'session') return headers
    if (session.left === 0) {
      const people = { ...team.people, owner: await addOwner(storage, team) }
      const { headers } = await createTestSession(
        storage,
        { ...team, people },
        'owner',
        config.baseUrl,
      )
      session = { left: REQUESTS_PER_PERSON, headers }
    }
    session.left -= 1
    return session.headers
  }
  const { task, webhook } = await createRecords(plain, team, headers)
  for (const endpoint of LISTS) {
    const [, noun = ''] = /\/([a-z-]+)\/:id/.exec(endpoint.path) ?? []
    const id = { projects: team.project, tasks: task, webhooks: webhook }[noun] ?? ''
    for (const asking of generateListQueries(endpoint)) {
      let cursor: string | null = ''
      // Pages of one row, so that there are further pages, also where the order ends with nulls.
      const mostPages = asking.isSortOnly ? 4 : asking.query.startsWith('sort=') ? 2 : 1
      for (let pages = 0; cursor !== null && pages < mostPages; pages += 1) {
        const paging: string = cursor && `cursor=${cursor}&`
        const limit = 'limit' in Object(endpoint.query).properties ? 'limit=1' : ''
        const url = `${endpoint.path.replace(':id', id)}?${asking.query}${paging}${limit}`
        // Lists without pages are read completely and sorted by their groups.
        now = { isSortOnly: asking.isSortOnly && limit !== '', url }
        const reply = await server.inject({ url, headers: await credential(endpoint) })
        // Reports refuse a range of days that is empty.
        if (endpoint.isReport && reply.statusCode === 400) break
        assert.equal(reply.statusCode, 200, `${url} → ${reply.body}`)
        cursor = reply.json().next_cursor ?? null
      }
    }
  }
  return { statements: [...statements.values()], config }
}

async function addOwner(storage: Storage, { workspace }: TestWorkspace): Promise<string> {
  const email = `${newId('usr', storage.clock.now())}@example.com`
  const account = { email, name: 'An owner', timezone: 'UTC' }
  return storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
    const { user_id } = await ensureAccount(tx, account, NO_PASSWORD)
    await createMembership(tx, { user_id, name: account.name, role: 'owner' })
    return user_id
  })
}

/** Wraps a storage so that `note` receives every query. */
const observeQueries = (
  storage: Storage,
  note: (query: Query<unknown, unknown>) => void,
): Storage => {
  const look =
    (where: 'read' | 'readReport'): Storage['read'] =>
    (actor, work) =>
      storage[where](actor, (tx) => {
        // Authentication runs without a workspace.
        if (actor.workspace_id === '') return work(tx)
        const all: ReadTx['all'] = (query, args) => {
          note(query as Query<unknown, unknown>)
          return tx.all(query, args)
        }
        return work({
          actor: tx.actor,
          settings: tx.settings,
          now: tx.now,
          nowMs: tx.nowMs,
          all,
          changeNumber: () => tx.changeNumber(),
          allNow: all,
          one: async (query, args) => (await all(query, args))[0],
          oneNow: async (query, args) => (await all(query, args))[0],
        })
      })
  const read = look('read')
  return {
    ...storage,
    read,
    readReport: look('readReport'),
    readNow: (actor, work) => read(actor, async (tx) => work(tx)),
  }
}

/** Creates a few records of every kind, so that there are several pages. */
async function createRecords(
  server: FastifyInstance,
  { project }: TestWorkspace,
  headers: Record<string, string>,
) {
  const post = async (url: string, payload: object) => {
    const reply = await server.inject({ method: 'POST', url, headers, payload })
    assert.ok(reply.statusCode < 300, reply.body)
    return reply.json().id as string
  }
  let [task, webhook] = ['', '']
  for (const due_date of [null, null, '2026-01-01', '2026-01-02']) {
    task = await post('/api/v1/tasks', { project_id: project, title: 'words', due_date })
    await post(`/api/v1/projects/${project}/tags`, { name: task })
    webhook = await post('/api/v1/webhooks', { url: 'https://example.com', events: ['*'] })
  }
  for (let time = 0; time < 3; time += 1) {
    await post(`/api/v1/tasks/${task}/comments`, { body: 'words' })
    await post(`/api/v1/tasks/${task}/time-entries`, { duration_seconds: 60 })
    await post(`/api/v1/webhooks/${webhook}/test`, {})
  }
  return { task, webhook }
}

let collected: Awaited<ReturnType<typeof collectStatements>>
before(async () => {
  collected = await collectStatements()
})

test('SQLite serves every list from an index on the workspace', async () => {
  const { statements, config } = collected
  const file = readdirSync(config.dataDir).find((name) => /\.(db|sqlite)$/.test(name)) ?? ''
  const db = new DatabaseSync(join(config.dataDir, file), { readOnly: true })
  addSearchSupport(db)
  atEnd(() => db.close())
  assert.ok(statements.length > 200, `${statements.length} statements`)
  for (const { sqlite: sql, url, isSortOnly } of statements) {
    const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
    const plan = db.prepare(`explain query plan ${sql}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
    const context = `${url}\n${sql}\n${lines.join('\n')}`
    for (const line of lines) {
      const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
      if (!way || !isTenant(name, sql)) continue
      assert.equal(way, 'SEARCH', `${line}: ${context}`)
      assert.match(line, /\((workspace_id=\?|rowid=\?|search_id=\?)/, `${line}: ${context}`)
    }
    // Few selected tasks are found by their ids, not by reading all due dates.
    if (/order by coalesce\("tasks"."due_date"/.test(sql) && !/due_(after|before)=/.test(url))
      for (const line of lines)
        assert.doesNotMatch(line, /tasks_(project_)?due .*due_date>/, context)
    if (url.includes('/reports/')) assert.deepEqual(findQuadraticLoops(plan, sql), [], context)
    if (url.includes('/reports/time')) {
      const entries = lines.find((line) => line.startsWith('SEARCH spent')) ?? ''
      assert.match(entries, /COVERING INDEX \w+ \(workspace_id=\? AND spent_on>\?/, context)
    }
    // A list with nulls sorts the union of two ordered parts of one page each.
    const sorts = lines.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY')).length
    if (isSortOnly) assert.ok(sorts <= (sql.includes('union all') ? 1 : 0), context)
  }
})

/**
 * Finds inner loops that read a whole workspace or selection for each row of the outer loop. A left
 * join keeps its order, so a scan in one is intended.
 */
function findQuadraticLoops(plan: readonly Record<string, unknown>[], sql: string): string[] {
  const outer = new Set<unknown>()
  return plan.flatMap(({ parent, detail }) => {
    const line = String(detail)
    const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
    if (!way) return []
    const isOuter = !outer.has(parent)
    outer.add(parent)
    if (isOuter || (way === 'SCAN' && line.endsWith('LEFT-JOIN'))) return []
    if (way === 'SEARCH' && !isTenant(name, sql)) return []
    return (line.match(/=\?/g)?.length ?? 0) > 1 ? [] : [line]
  })
}

/** Whether a name in a plan is a tenant table, or the alias of one. */
function isTenant(name: string, sql: string): boolean {
  const [, table] = new RegExp(`"?(\\w+)"? as "?${name}"?\\b`).exec(sql) ?? []
  return TENANT_TABLES.includes(table ?? name)
}

let database: Awaited<ReturnType<typeof createEmptyDatabase>>
before(async () => {
  database = await createEmptyDatabase()
})

test('PostgreSQL serves every list from an index on the workspace', async () => {
  const { url, admin } = database
  const { storage, server } = await openTestDocket('postgres', { DOCKET_DATABASE_URL: url })
  const team = await createTestWorkspace(storage)
  await createRecords(server, team, { authorization: `Bearer ${team.keys.owner}` })
  await multiplyRows(admin, team)
  await admin.query('set enable_seqscan = off')
  for (const { postgres: sql, url, isSortOnly } of collected.statements) {
    const nodes = await explainPostgres(admin, sql)
    const context = `${url}\n${sql}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      const table = node['Relation Name']
      if (table && TENANT_TABLES.includes(table))
        assert.notEqual(node['Node Type'], 'Seq Scan', context)
      const index = node['Index Name']
      if (!index || index.startsWith('users') || index === 'task_words_words') continue
      assert.match(node['Index Cond'] ?? '', /workspace_id|\(id =/, context)
    }
    // An incremental sort reads only rows with equal leading columns.
    const sorts = nodes.filter((node) => node['Node Type'] === 'Sort').length
    if (isSortOnly) assert.ok(sorts <= (sql.includes('union all') ? 1 : 0), context)
  }
})

/** Returns every statement of a search: without filters, with all, and without an assignee. */
function searchStatements(engine: DatabaseEngine): string[] {
  const none = { described: false, project: false, assignees: false, unassigned: false }
  const all = { described: true, project: true, assignees: true, unassigned: true, authors: true }
  const filters = [{ ...none, authors: false }, all, { ...all, assignees: false }]
  const ways = [
    ...(['id', 'whole', 'begun'] as const).map((by) => ({ of: 'task', by }) as const),
    ...(['whole', 'begun'] as const).map((by) => ({ of: 'comment', by }) as const),
  ]
  const shapes: SearchQueryShape[] = ways.flatMap((way) =>
    filters.map((filter) => ({ ...filter, ...way })),
  )
  const others = [
    selectCandidateCount('task'),
    selectCandidateCount('comment'),
    matchedTasks,
    matchedComments,
  ]
  return [...shapes.map((shape) => selectCandidates(shape)), ...others].map(
    (query) => query.text(engine).sql,
  )
}

/** Tables that belong to no workspace, or were already narrowed by words. */
const SCANNABLE = /^(found|json_each|task_words|comment_words)$/

test('SQLite serves a search from indexes only', () => {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db)
  for (const sql of searchStatements('sqlite')) {
    const lines = explainSqlite(db, sql)
    const context = `${sql}\n${lines.join('\n')}`
    for (const line of lines) {
      const [, way, name = ''] = /^(SCAN|SEARCH) (\S+)/.exec(line) ?? []
      if (!way) continue
      if (way === 'SCAN') assert.match(name, SCANNABLE, context)
      else
        assert.match(line, /\((workspace_id=\?|rowid=\?|search_id=\?)|INTEGER PRIMARY KEY/, context)
      assert.doesNotMatch(line, /AUTOMATIC/, context)
    }
    if (sql.includes('match')) {
      assert.ok(
        lines.some((line) => /_words VIRTUAL TABLE INDEX \d+:.*M/.test(line)),
        context,
      )
    }
  }
})

test('PostgreSQL serves a search from indexes only', async () => {
  const { admin } = await createMigratedDatabase()
  await admin.query('set enable_seqscan = off')
  for (const sql of searchStatements('postgres')) {
    const nodes = await explainPostgres(admin, sql)
    const context = `${sql}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      assert.notEqual(node['Node Type'], 'Seq Scan', context)
      // The lists check the conditions on project access, with many rows.
      const condition = node['Index Cond']?.startsWith('(user_id') ? undefined : node['Index Cond']
      if (condition) assert.match(condition, /workspace_id|words @@/, context)
    }
  }
})

/** Statements that follow links between tasks, and may meet any number of them. */
const WALKS = {
  blockedTasks,
  blockerTasks,
  blockedTaskCount,
  blockerCount,
  rebuildDependencyLists,
  descendants,
  descendantAtDepth,
  tasksDeletedTogether,
  ancestors,
}
/** The columns of a task's own links: a search without one of them reads a whole workspace. */
const OWN_COLUMNS = /\b(id|task_id|blocker_id|parent_id|link\.\w+|other\.id)"? ?=/

/** Statistics as a real installation has them, with many links to a task. */
async function fillStore(storage: Storage) {
  const team = await createTestWorkspace(storage)
  const owner = { ...createUserActor(team.people.owner, team.workspace), role: 'owner' as const }
  const { id: task } = await storage.write(owner, (tx) =>
    createTaskFromInput(tx, { project_id: team.project, title: 'Original' }),
  )
  const tasks = await copyTaskRows(storage, team.workspace, task, { series: 1, count: 1_000 })
  for (const [at, parent_id] of tasks.slice(0, 100).entries()) {
    const count = at === 0 ? 500 : 5
    await copyTaskRows(storage, team.workspace, task, { series: 2 + at, count, parent_id })
  }
  const links = tasks.flatMap((task_id, at) =>
    tasks.slice(Math.max(0, at - 5), at).map((blocker_id) => ({ task_id, blocker_id })),
  )
  await insertTaskLinks(storage, team.workspace, links)
}

test('SQLite walks along links by index, without statistics and with', async () => {
  const { db } = await openSqliteFile(fillStore)
  for (const analyze of ['drop table if exists sqlite_stat1', 'analyze']) {
    db.exec(analyze)
    for (const { name, sql } of statementsOf(WALKS, 'sqlite')) {
      const lines = explainSqlite(db, sql)
      const context = `${name} after ${analyze}\n${lines.join('\n')}`
      for (const line of lines) {
        const [, way, table = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
        if (!way || !['tasks', 'task_blocks', 'link', 'other'].includes(table)) continue
        assert.match(line, /SEARCH .*workspace_id=\? AND \w+=\?/, context)
      }
    }
  }
})

test('PostgreSQL walks along links by index, without statistics and with', async () => {
  const { url, admin } = await createEmptyDatabase()
  const storage = closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS }))
  // Autovacuum would collect statistics at any time.
  await admin.query(`alter table tasks set (autovacuum_enabled = off);
    alter table task_blocks set (autovacuum_enabled = off)`)
  await fillStore(storage)
  // The tables of this test are so small that reading one whole is no worse.
  await admin.query('set enable_seqscan = off')
  for (const analyze of ['select 1', 'analyze']) {
    await admin.query(analyze)
    for (const { name, sql } of statementsOf(WALKS, 'postgres')) {
      const nodes = await explainPostgres(admin, sql)
      const context = `${name} after ${analyze}\n${JSON.stringify(nodes[0], null, 1)}`
      for (const node of nodes) {
        if (!['tasks', 'task_blocks'].includes(node['Relation Name'] ?? '')) continue
        if (node['Node Type'] === 'ModifyTable') continue
        if (node['Node Type'] === 'Bitmap Heap Scan') continue
        assert.match(node['Index Cond'] ?? '', OWN_COLUMNS, context)
      }
    }
  }
})

/** The statements of a poll of the feed of changes. */
const FEED_STATEMENTS = {
  feedState,
  numberedChanges: numberedChanges(CHANGE_TYPES),
  commentsOfAuthorAfter,
  membersToWalk,
  nextProject: nextProject(false),
  oneProject: nextProject(true),
  tagsAfter,
  tasksAfter,
  commentsAfter: childrenAfter('comment'),
  timeEntriesAfter: childrenAfter('time_entry'),
  attachmentsAfter: childrenAfter('attachment'),
}

/** A poll begins at its place in each of them, and does not read what came before. */
const NUMBERED_TABLES = [
  'tasks',
  'comments',
  'time_entries',
  'attachments',
  'tags',
  'projects',
  'memberships',
]

/** What a statement makes itself, and of which there are at most as many rows as it returns. */
const OWN_ROWS = /^SCAN (entries|merged|CONSTANT ROW|\w+_rows|\(subquery)/

test('SQLite reads changes from indexes in their order', async () => {
  const { db } = await openSqliteFile()
  for (const { name, sql } of statementsOf(FEED_STATEMENTS, 'sqlite')) {
    const lines = explainSqlite(db, sql)
    const context = `${name}\n${lines.join('\n')}`
    for (const line of lines) {
      if (OWN_ROWS.test(line)) continue
      assert.doesNotMatch(line, /^SCAN/, context)
      // The attachments of one task are sorted, of which there are few.
      if (name === 'attachmentsAfter' && line.endsWith('LAST TERM OF ORDER BY')) continue
      if (/USE TEMP B-TREE/.test(line)) assert.equal(name, 'numberedChanges', context)
    }
    if (name !== 'numberedChanges') continue
    const place = String.raw`\(workspace_id=\? AND \(change_number,\w+\)>\(\?,\?\)\)`
    for (const table of NUMBERED_TABLES)
      assert.match(context, new RegExp(`INDEX ${table}_change ${place}`), context)
    assert.match(context, /tombstones USING .*change_number/, context)
  }
})

test('PostgreSQL reads changes from indexes', async () => {
  const { admin } = await createMigratedDatabase()
  // The tables of this test are so small that reading one whole is no worse.
  await admin.query('set enable_seqscan = off')
  for (const { name, sql } of statementsOf(FEED_STATEMENTS, 'postgres')) {
    const nodes = await explainPostgres(admin, sql)
    const context = `${name}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      if (node['Relation Name'] === undefined || node['Node Type'] === 'Bitmap Heap Scan') continue
      assert.ok(node['Index Cond'] !== undefined, context)
    }
  }
})

test('a start replaces measured statistics, whose plans scan tables of all workspaces', async () => {
  const { path, db } = await openSqliteFile(createTestWorkspace)
  assert.equal(restorePlannerStatistics(db), false, 'migrations insert the fixed statistics')
  // Without reading all events.
  const newest = explainSqlite(db, newestEvent.text('sqlite').sql).join('\n')
  assert.match(newest, /^SEARCH events .*\(workspace_id=\? AND sequence=\?\)$/m)
  // As `analyze` writes them for one workspace with two projects and many tasks.
  db.exec(`analyze; delete from sqlite_stat1 where tbl in ('tasks', 'projects');
    insert into sqlite_stat1 values ('projects', 'projects_id', '2 1'),
      ('projects', 'projects_change', '2 2 1 1'), ('tasks', 'tasks_change', '9705 9705 1 1'),
      ('projects', 'projects_name', '2 2 1 1'), ('projects', 'projects_updated', '2 2 2 1'),
      ('projects', 'sqlite_autoindex_projects_1', '2 2 1'),
      ('tasks', 'tasks_number', '9705 1001 1001 1'), ('tasks', 'tasks_project', '9705 1001 1001 1'),
      ('tasks', 'sqlite_autoindex_tasks_1', '9705 1001 1')`)
  await openSqlite({ path, ...TEST_STORE_OPTIONS }).close()
  const restored = new DatabaseSync(path)
  atEnd(() => restored.close())
  const lines = explainSqlite(restored, taskById.text('sqlite').sql)
  assert.doesNotMatch(lines.join('\n'), /SCAN projects/)
  assert.equal(restorePlannerStatistics(restored), false)
})
