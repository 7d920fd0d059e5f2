import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Query, ReadTx, Storage } from '#core/transaction.ts'
import { addSearchSupport } from '#db/sqlite/connection.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import { createApp, routes } from '#server/app.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { atEnd, createEmptyDatabase } from '../support/engines/test-database.ts'
import { openTestDocket, testLog } from '../support/engines/test-docket.ts'
import { generateListQueries } from '../support/scenario/list-queries.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import { multiplyRows } from './multiply-rows.ts'

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
  .filter(({ method, query, feed, replica }) => {
    const { properties = {} } = Object(query) as { properties?: object }
    const isList = 'limit' in properties || 'sort' in properties || replica === 'long'
    // The plans of feeds are tested in feed-plans.test.ts.
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
      const mostPages = asking.isSortOnly ? 4 : 2
      for (let pages = 0; cursor !== null && pages < mostPages; pages += 1) {
        const paging: string = cursor && `cursor=${cursor}&`
        const limit = 'limit' in Object(endpoint.query).properties ? 'limit=1' : ''
        const url = `${endpoint.path.replace(':id', id)}?${asking.query}${paging}${limit}`
        // Lists without pages are read completely and sorted by their groups.
        now = { isSortOnly: asking.isSortOnly && limit !== '', url }
        const reply = await server.inject({ url, headers: await credential(endpoint) })
        // Reports refuse a range of days that is empty.
        if (endpoint.replica === 'long' && reply.statusCode === 400) break
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
    const values = Array(db.prepare(sql).columns().length === 0 ? 0 : countSlots(sql)).fill(null)
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

const countSlots = (sql: string) => sql.match(/\?/g)?.length ?? 0

/** Whether a name in a plan is a tenant table, or the alias of one. */
function isTenant(name: string, sql: string): boolean {
  const [, table] = new RegExp(`"?(\\w+)"? as "?${name}"?\\b`).exec(sql) ?? []
  return TENANT_TABLES.includes(table ?? name)
}

interface ListPlan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: ListPlan[]
}

const nodesOf = (plan: ListPlan): ListPlan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

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
    const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
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
