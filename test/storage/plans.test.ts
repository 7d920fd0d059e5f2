import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Engine, Query, ReadTx, Storage } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { app, routes } from '../../src/app.ts'
import { docketOn, log, SECRET } from '../support/engines.ts'
import { everyQuery } from '../support/every-list.ts'
import { type Home, newHome } from '../support/home.ts'
import { sessionOf } from '../support/session.ts'
import { atEnd, emptyDatabase } from '../support/store.ts'

/** Tables of which every row is of a workspace: none may be read through. */
const TENANT = [
  ...['tasks', 'projects', 'project_people', 'project_prefixes', 'task_numbers', 'task_assignees'],
  ...['task_tags', 'task_blocks', 'tags', 'comments', 'time_entries', 'webhooks', 'events'],
  ...['memberships', 'deliveries', 'attachments', 'api_keys', 'replies', 'activity'],
]
const LISTS = routes
  .map(({ endpoint }) => endpoint)
  // Keys, invitations and sessions are few.
  .filter(
    ({ path, scope }) =>
      scope !== 'session' || /^\/internal\/(projects|tasks|reports)\//.test(path),
  )
  .filter(({ method, query, stream, far }) => {
    const { properties = {} } = Object(query) as { properties?: object }
    const isList = 'limit' in properties || 'sort' in properties || far === 'long'
    return method === 'GET' && !stream && isList
  })
/** A session has 600 requests a minute, and is asked more than that. */
const OF_A_SESSION = 500

interface Asked {
  sql: string
  url: string
  isPlain: boolean
}

/**
 * Asks every list everything, or only what is in `some`, and gives the statements that answered, and what was asked
 * when a statement came for the first time.
 */
async function everyStatement(
  engine: Engine,
  env: Record<string, string> = {},
  some?: Set<string>,
) {
  const { storage, config, server: plain } = await docketOn(engine, env)
  const found = new Map<string, Asked>()
  const firsts = new Set<string>()
  let now = { name: '', isPlain: false, url: '' }
  const note = (query: Query<unknown, unknown>) => {
    const { sql } = query.text(engine)
    if (!found.has(sql)) firsts.add(now.name)
    const asked = found.get(sql) ?? { sql, url: now.url, isPlain: false }
    found.set(sql, { ...asked, isPlain: asked.isPlain || now.isPlain })
  }
  const { server } = await app(noting(storage, note), config, SECRET, log)
  atEnd(() => server.close())
  const home = await newHome(storage)
  const headers = { authorization: `Bearer ${home.keys.owner}` }
  let session = { left: 0, headers: {} }
  const credential = async ({ scope }: Endpoint) => {
    if (scope !== 'session') return headers
    if (session.left === 0) {
      const { headers } = await sessionOf(storage, home, 'owner', config.baseUrl)
      session = { left: OF_A_SESSION, headers }
    }
    session.left -= 1
    return session.headers
  }
  const { task, webhook } = await fill(plain, home, headers)
  for (const endpoint of LISTS) {
    const [, noun = ''] = /\/([a-z-]+)\/:id/.exec(endpoint.path) ?? []
    const id = { projects: home.project, tasks: task, webhooks: webhook }[noun] ?? ''
    for (const asking of everyQuery(endpoint)) {
      const name = `${endpoint.path}?${asking.query}`
      if (some && !some.has(name)) continue
      let cursor: string | null = ''
      // A page at a time, so that there are further pages, also where the order ends in nulls.
      for (let pages = 0; cursor !== null && pages < 4; pages += 1) {
        const paging: string = cursor && `cursor=${cursor}&`
        const limit = 'limit' in Object(endpoint.query).properties ? 'limit=1' : ''
        const url = `${endpoint.path.replace(':id', id)}?${asking.query}${paging}${limit}`
        // What has no pages is read whole, and sorted as it is grouped.
        now = { name, isPlain: asking.isPlain && limit !== '', url }
        const reply = await server.inject({ url, headers: await credential(endpoint) })
        // A range of days that ends as it begins is one that a report refuses.
        if (endpoint.far === 'long' && reply.statusCode === 400) break
        assert.equal(reply.statusCode, 200, `${url} → ${reply.body}`)
        cursor = reply.json().next_cursor ?? null
      }
    }
  }
  return { found: [...found.values()], firsts, config, home }
}

/** A storage of which one hears what is asked of it. */
const noting = (storage: Storage, note: (query: Query<unknown, unknown>) => void): Storage => {
  const look =
    (where: 'read' | 'readLong'): Storage['read'] =>
    (actor, work) =>
      storage[where](actor, (tx) => {
        // Who asks is found without a workspace.
        if (actor.workspace_id === '') return work(tx)
        const all: ReadTx['all'] = (query, args) => {
          note(query as Query<unknown, unknown>)
          return tx.all(query, args)
        }
        return work({
          ...{ actor: tx.actor, settings: tx.settings, now: tx.now, instant: tx.instant, all },
          newestNotice: () => tx.newestNotice(),
          one: async (query, args) => (await all(query, args))[0],
        })
      })
  return { ...storage, read: look('read'), readLong: look('readLong') }
}

/** A few records of every kind, so that there are pages. */
async function fill(server: FastifyInstance, { project }: Home, headers: Record<string, string>) {
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

let onSqlite: Awaited<ReturnType<typeof everyStatement>>
before(async () => {
  onSqlite = await everyStatement('sqlite')
})

test('SQLite serves every list by an index of its workspace', async () => {
  const { found, config } = onSqlite
  const file = readdirSync(config.dataDir).find((name) => /\.(db|sqlite)$/.test(name)) ?? ''
  const db = new DatabaseSync(join(config.dataDir, file), { readOnly: true })
  atEnd(() => db.close())
  assert.ok(found.length > 200, `${found.length} statements`)
  for (const { sql, url, isPlain } of found) {
    const values = Array(db.prepare(sql).columns().length === 0 ? 0 : slots(sql)).fill(null)
    const plan = db.prepare(`explain query plan ${sql}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
    const told = `${url}\n${sql}\n${lines.join('\n')}`
    for (const line of lines) {
      const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
      if (!way || !isTenant(name, sql)) continue
      assert.equal(way, 'SEARCH', `${line}: ${told}`)
      assert.match(line, /\((workspace_id=\?|rowid=\?|search_id=\?)/, `${line}: ${told}`)
    }
    if (url.includes('/reports/')) assert.deepEqual(squares(plan, sql), [], told)
    // The two parts of a list with nulls, each in order and of one page, are merged by sorting.
    const sorts = lines.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY')).length
    if (isPlain) assert.ok(sorts <= (sql.includes('union all') ? 1 : 0), told)
  }
})

/**
 * The inner loops of a plan that read all of a workspace, or of a selection, for each row of the outer
 * one. A left join keeps its order, so that one which scans is meant.
 */
function squares(plan: readonly Record<string, unknown>[], sql: string): string[] {
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

const slots = (sql: string) => sql.match(/\?/g)?.length ?? 0

/** Whether a name of a plan is a table of the tenants, or stands for one in the statement. */
function isTenant(name: string, sql: string): boolean {
  const [, table] = new RegExp(`"?(\\w+)"? as "?${name}"?\\b`).exec(sql) ?? []
  return TENANT.includes(table ?? name)
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

let database: Awaited<ReturnType<typeof emptyDatabase>>
before(async () => {
  database = await emptyDatabase()
})

test('PostgreSQL serves every list by an index of its workspace', async () => {
  const { url, admin } = database
  // Both engines make their statements from the same parts, and SQLite is asked in a sixth of the time.
  const { found, home } = await everyStatement(
    'postgres',
    { DOCKET_DATABASE_URL: url },
    onSqlite.firsts,
  )
  assert.ok(found.length > 200, `${found.length} statements`)
  await multiply(home)
  await admin.query('set enable_seqscan = off')
  for (const { sql, url, isPlain } of found) {
    const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    const told = `${url}\n${sql}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      const table = node['Relation Name']
      if (table && TENANT.includes(table)) assert.notEqual(node['Node Type'], 'Seq Scan', told)
      const index = node['Index Name']
      if (!index || index.startsWith('users') || index === 'task_words_words') continue
      assert.match(node['Index Cond'] ?? '', /workspace_id|\(id =/, told)
    }
    // An incremental sort reads only what is alike, and names are not.
    const sorts = nodes.filter((node) => node['Node Type'] === 'Sort').length
    if (isPlain) assert.ok(sorts <= (sql.includes('union all') ? 1 : 0), told)
  }
})

const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`

/** Which columns differ from row to row when the rows of a table are made many, and how many. */
const MANY: [table: string, count: number, differing: Record<string, string>][] = [
  ['projects', 40, { id: id('prj'), prefix: `'P' || n`, name_key: 'n' }],
  ['memberships', 50, { user_id: id('usr'), name_key: 'n' }],
  ['tags', 100, { id: id('tag'), name_key: 'n' }],
  [
    'tasks',
    1_500,
    {
      id: id('tsk'),
      number: 'n + 1000',
      position: `'b' || lpad(n::text, 8, '0')`,
      project_id: `case when n % 3 = 0 then 'prj_' || lpad((n % 40 + 1)::text, 26, '0') else project_id end`,
      due_date: `case when n % 2 = 0 then '2026-01-' || lpad((n % 28 + 1)::text, 2, '0') end`,
      priority_rank: 'n % 5',
      updated_at: `'2026-01-01T00:00:00.' || lpad((n % 1000)::text, 3, '0') || 'Z'`,
    },
  ],
  ['comments', 300, { id: id('cmt') }],
  ['time_entries', 300, { id: id('tme') }],
  ['webhooks', 10, { id: id('whk') }],
  [
    'deliveries',
    2_000,
    {
      id: id('dlv'),
      status: `case when n % 9 = 0 then 'failed' else 'succeeded' end`,
      event_id: id('evt'),
    },
  ],
  ['events', 2_000, { sequence: 'n + 1000', id: id('evt') }],
  ['task_words', 1_500, { task_id: id('tsk'), words: `array_to_tsvector(array['w' || n])` }],
]
const LINKS = [
  ['task_assignees', 'user_id, task_id', `'usr_' || lpad('1', 26, '0'), id from tasks`],
  ['task_tags', 'tag_id, task_id', `'tag_' || lpad('1', 26, '0'), id from tasks`],
  [
    'project_people',
    'project_id, user_id',
    `p.id, m.user_id from projects p
    join memberships m on m.workspace_id = p.workspace_id and m.user_id like '%1'`,
  ],
]
const WORKSPACES = 20

/** Makes the rows of a workspace many, and workspaces of the like, so that indexes are worth it. */
async function multiply({ workspace }: Home): Promise<void> {
  const { admin } = database
  await admin.query(`set session_replication_role = replica`)
  const into = async (table: string, differing: Record<string, string>, from: string) => {
    const { rows } = await admin.query(
      `select column_name as name from information_schema.columns where table_name = $1`,
      [table],
    )
    const names = rows.map(({ name }) => String(name))
    const values = names.map((name) => differing[name] ?? name)
    await admin.query(`insert into ${table} (${names}) select ${values} ${from}`)
  }
  const own = `workspace_id = '${workspace}'`
  for (const [table, count, differing] of MANY) {
    const one = `(select * from ${table} where ${own} limit 1)`
    await into(table, differing, `from ${one} as one, generate_series(1, ${count}) n`)
  }
  for (const [table, columns, rows] of LINKS) {
    await admin.query(`insert into ${table} (workspace_id, ${columns})
      select '${workspace}', ${rows} on conflict do nothing`)
  }
  for (const table of [...MANY, ...LINKS].map(([name]) => String(name))) {
    const theirs = `from ${table}, generate_series(1, ${WORKSPACES}) n where ${own}`
    await into(table, { workspace_id: `workspace_id || n` }, theirs)
  }
  await admin.query('set session_replication_role = origin; analyze')
}
