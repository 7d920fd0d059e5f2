import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { DatabaseEngine } from '#core/transaction.ts'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { newId } from '#lib/id.ts'
import { publicRoutes, routes, sessionActions } from '#server/routes.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { type ApiCall, callApi, callApiForJson, summarizeReply } from '../support/api/call-api.ts'
import { buildApiCall, endpointName } from '../support/api/endpoint-requests.ts'
import { createSampleRecords, type SampleRecords } from '../support/api/sample-records.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { startEmbeddedPostgres } from '../support/postgres/embedded-postgres.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import {
  ENDPOINTS_WITHOUT_SESSION,
  INTERNAL_ENDPOINT_CASES,
} from '../tenants-and-roles/internal-endpoints.ts'
import {
  createSignedInWorkspace,
  type SignedInWorkspace,
} from '../tenants-and-roles/internal-records.ts'
import { multiplyBySql, type SqlConsole } from './many-tasks.ts'

/**
 * A request costs the same in a workspace of 1,000 tasks and in one of 50,000, which are in one
 * database: measured by the pages that it reads, which does not depend on the machine. Tests of plans do
 * not find this: SQLite takes ten rows for what a workspace has, and a plan that names an index does not
 * say how much of it is read. Each write of a time entry read all tasks of its workspace, and
 * `GET /events?type=` the whole log. Processor time would not do: 1.3 times is within its noise.
 */
const FEW_TASKS = 1_000
const MANY_TASKS = 50_000
const MAX_GROWTH = 1.3
/** For parts of indexes that are in one page among few tasks, and in several among many. */
const SPARE_PAGES = 30
/**
 * More for lists with a filter, of which matches are counted up to a limit that grows with the root of
 * the number of tasks (docs/decisions/0062-lists-of-any-size.md), and for the list of a common word in the index.
 */
const SPARE_PAGES_OF_FILTER = 60
const SPARE_PAGES_OF_WORDS = 300
/**
 * A write cannot be repeated. Meanwhile, a delivery may run, or a connection be opened, which reads the
 * catalog of each table that it writes: 370 pages for a comment. All tasks, or all entries of an index of
 * theirs, would be more.
 */
const SPARE_PAGES_OF_WRITE = 500
/** No request reads more, so that none reads the tasks of all workspaces, either. */
const MAX_PAGES = 2_500

/** Not even those that grow: some twenty pages for each of 10,000 time entries, or one for each task. */
const MAX_KNOWN_PAGES = 200_000

/** Requests that cost more among more tasks, and why (docs/spec/reliability.md). */
const KNOWN_GROWTH: [requests: RegExp, why: string, engine?: DatabaseEngine][] = [
  [/^GET \/internal\/projects\/:id\/(tasks|matches) \(0\)/, 'it lists all tasks of a project'],
  [/^GET \/internal\/open-tasks/, 'it lists the open tasks, up to 50,000'],
  [/^GET \/(internal|api\/v1)\/reports\//, 'a report reads all that it sums up'],
  [/tasks\?.*(assignee_id|tag_id)=none/, 'tasks without any are in no index'],
  [/^GET \/internal\/search/, 'the newest of all tasks with a common word', 'postgres'],
  [/tasks\?.*q=common/, 'all tasks with a common word, in the index of words', 'sqlite'],
]

interface PageMeter {
  database: SqlConsole
  /** The number of pages that are read during a request. */
  countPages(request: () => Promise<unknown>): Promise<number>
}

/** Counts the pages that this process reads from files, by /proc/self/io (Linux only). */
function openSqliteMeter({ config }: TestDocket): PageMeter {
  const db = new DatabaseSync(join(config.dataDir, DATABASE_FILENAME), {
    enableForeignKeyConstraints: false,
  })
  afterFile(() => db.close())
  db.exec('pragma synchronous = off; pragma cache_size = -262144; pragma temp_store = memory')
  const readBytes = () => Number(/rchar: (\d+)/.exec(readFileSync(IO_COUNTERS, 'utf8'))?.[1])
  return {
    database: {
      rows: async <R>(sql: string) => db.prepare(sql).all() as R[],
      run: async (sql) => db.exec(sql),
    },
    async countPages(request) {
      // A connection forgets its pages when another one has changed the database.
      db.exec("insert or replace into installation values ('costs', '')")
      const before = readBytes()
      await request()
      return Math.floor((readBytes() - before) / 4_096)
    },
  }
}

const IO_COUNTERS = '/proc/self/io'

/** A PostgreSQL that counts the pages of statements, with a Docket on it. */
async function openPostgresMeter(): Promise<[TestDocket, PageMeter]> {
  const server = await startEmbeddedPostgres({
    settings: [
      'shared_preload_libraries=pg_stat_statements',
      'autovacuum=off',
      // Indexes of 100,000 rows are not logged.
      ...['wal_level=minimal', 'max_wal_senders=0'],
    ],
  })
  afterFile(() => server.remove())
  const docket = await openTestDocket('postgres', { DOCKET_DATABASE_URL: server.socketUrl })
  const admin = new pg.Client(server.socketUrl)
  await admin.connect()
  afterFile(() => admin.end())
  await admin.query(`create extension pg_stat_statements;
    set session_replication_role = replica; set maintenance_work_mem = '256MB'`)
  const countPages: PageMeter['countPages'] = async (request) => {
    await admin.query('select pg_stat_statements_reset()')
    await request()
    const { rows } = await admin.query(`select sum(shared_blks_hit + shared_blks_read) as pages
      from pg_stat_statements where query not like '%pg_stat_statements%'`)
    return Number(rows[0]?.pages ?? 0)
  }
  const database: SqlConsole = {
    rows: async <R>(sql: string) => (await admin.query(sql)).rows as R[],
    async run(sql) {
      await admin.query(sql)
    },
  }
  return [docket, { database, countPages }]
}

/** A workspace in which one task has values that no other has. */
interface MeasuredWorkspace extends SignedInWorkspace {
  records: SampleRecords
  commonTag: string
}

const TEMPLATES = 30

async function createWorkspace(
  docket: TestDocket,
  { database }: PageMeter,
  size: number,
): Promise<MeasuredWorkspace> {
  const { server, engine } = docket
  const world = await createSignedInWorkspace(docket)
  const { people, keys, project, workspace } = world.team
  const send = (key: string, method: string, url: string, body: unknown, headers = {}) =>
    callApiForJson(server, key, { method, url, body, headers })
  const commonTag = (
    await send(keys.owner, 'POST', `/api/v1/projects/${project}/tags`, { name: 'common' })
  ).id
  const records = await createSampleRecords(server, keys.owner, project, 'zeppelin', true)
  const rare = { tag_ids: [records.tags], assignee_ids: [people.guest], status: 'in_review' }
  await send(keys.owner, 'PATCH', `/api/v1/tasks/${records.tasks}`, {
    ...rare,
    priority: 'urgent',
    due_date: '2031-01-01',
  })
  const templates: string[] = []
  for (let at = 0; at < TEMPLATES; at += 1) {
    const key = at % 2 ? keys.admin : keys.member
    const { id } = await send(key, 'POST', '/api/v1/tasks', {
      project_id: project,
      title: 'Common words of a task',
      assignee_ids: [at % 2 ? people.member : people.admin],
      ...(at % 5 > 0 && { tag_ids: [commonTag] }),
      ...(at % 4 < 2 && { due_date: '2026-01-01' }),
      status: ['todo', 'in_progress', 'done'][at % 3],
      priority: ['none', 'low', 'medium', 'high', 'none'][at % 5],
    })
    templates.push(id)
    if (at % 10 > 0) continue
    await send(keys.member, 'POST', `/api/v1/tasks/${id}/comments`, { body: 'Often said' })
    await send(keys.admin, 'POST', `/api/v1/tasks/${id}/time-entries`, { duration_seconds: 60 })
    const upload = `/api/v1/tasks/${id}/attachments?filename=a.txt`
    await send(keys.admin, 'POST', upload, 'A', { 'content-type': 'text/plain' })
  }
  const owned = { workspace, project, webhook: records.webhooks ?? '', templates }
  const times = Math.round(size / TEMPLATES) - 1
  if (times > 0) await multiplyBySql(database, engine, owned, times)
  return { ...world, records, commonTag }
}

interface MeasuredRequest {
  name: string
  call: ApiCall
  key?: string
  outcome?: string
}

const PAGING = ['limit', 'cursor', 'sort', 'after', 'wait']

/** Values of a filter, of which few tasks have some and many have others. */
function valuesOfFilter(
  { team: { people, project, hidden }, records, commonTag }: MeasuredWorkspace,
  name: string,
  schema: FilterSchema,
): readonly string[] {
  const words = schema.enum ?? schema.items?.enum
  // A page of the feed that many tasks fill.
  if (words && name === 'types') return words.map((type) => `${type}&limit=10`)
  // A report of each of many tasks has too many rows.
  if (words && name === 'group_by')
    return words.map((group) => (group === 'task' ? 'task&billable=true' : group))
  if (words) return words
  if (schema.type === 'boolean') return ['true', 'false']
  const users = [people.guest, people.member, 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3']
  const [always, never] = ['2000-01-01T00:00:00Z', '2099-01-01T00:00:00Z']
  const values: Record<string, readonly string[]> = {
    status: ['in_review', 'todo', 'canceled'],
    q: ['zeppelin', 'common', 'absent', 'zeppelin common', 'eng-7'],
    assignee_id: [...users, 'none'],
    lead_id: users,
    created_by_id: users,
    author_id: users,
    user_id: users,
    tag_id: [records.tags ?? '', commonTag, ...(acceptsNone(schema) ? ['none'] : [])],
    parent_id: [records.tasks ?? '', 'none'],
    project_id: [hidden, project],
    id: [records.tasks ?? ''],
    task_id: [records.tasks ?? ''],
    event_id: [records.events ?? ''],
    due_after: ['2031-01-01'],
    due_before: ['2000-01-01'],
    spent_after: ['2099-01-01'],
    spent_before: ['2000-01-01'],
    created_after: [never],
    created_before: [always],
    updated_since: [never],
    completed_after: [never],
    completed_before: [always],
    external_source: ['canary', 'unheard'],
    external_id: ['1&external_source=canary'],
    after_sequence: ['1'],
    credential_id: ['unheard'],
    import_id: [newId('imp')],
  }
  return values[name] ?? assert.fail(`There is no value for the filter ${name}`)
}

interface FilterSchema {
  type?: string
  enum?: readonly string[]
  items?: { enum?: readonly string[]; pattern?: string }
}

const acceptsNone = ({ items }: FilterSchema): boolean =>
  new RegExp(items?.pattern ?? '').test('none')

/** Each order of a list, and each of its filters in one of them. */
function queriesOf({ query }: Endpoint, world: MeasuredWorkspace): string[] {
  const { properties = {} } = Object(query) as { properties?: Record<string, FilterSchema> }
  const orders = (properties.sort?.enum ?? ['']).map((order) => order && `sort=${order}`)
  const filters = Object.entries(properties)
    .filter(([name]) => !PAGING.includes(name))
    .flatMap(([name, schema]) =>
      valuesOfFilter(world, name, schema).map((value) => `${name}=${value}`),
    )
  if (properties.after_sequence) {
    const { project, hidden } = world.team
    filters.push(`type=task.created&project_id=${hidden}`, `type=tag.deleted&project_id=${project}`)
  }
  const orderOf = (filter: string, at: number) =>
    orders[filter.startsWith('q=') ? 0 : at % orders.length] ?? ''
  return [...orders, ...filters.map((filter, at) => `${orderOf(filter, at)}&${filter}`)]
}

/** All requests: every endpoint, and every filter of the lists of the API. */
async function* requestsTo(
  { server }: TestDocket,
  world: MeasuredWorkspace,
  queries: number,
): AsyncGenerator<MeasuredRequest> {
  const { team, sessions, records } = world
  const key = team.keys.owner
  for (const { endpoint } of publicRoutes) {
    const name = endpointName(endpoint)
    if (endpoint.method === 'GET') {
      const call = buildApiCall(endpoint, records)
      const queried = queriesOf(endpoint, world).slice(0, queries)
      // One that needs a parameter has it already.
      const urls = call.url.includes('?')
        ? [call.url]
        : queried.map((query) => `${call.url}?${query}`)
      for (const [at, url] of urls.entries())
        yield { name: `${name}?${queried[at] ?? ''}`, call: { ...call, url }, key }
      continue
    }
    const mark = `once ${Math.random()}`
    const call = buildApiCall(
      endpoint,
      await createSampleRecords(server, key, team.project, mark, true),
    )
    const newest = { method: 'GET', url: '/api/v1/events/position' }
    const isReplay = name === 'POST /api/v1/webhooks/:id/replay'
    yield isReplay
      ? { name, key, call: { ...call, body: { from_sequence: await newestSequence(newest) } } }
      : { name, key, call }
  }
  for (const { endpoint } of [...routes, ...sessionActions]) {
    const name = endpointName(endpoint)
    if (!endpoint.path.startsWith('/internal/')) continue
    // They know no workspace.
    if (ENDPOINTS_WITHOUT_SESSION.has(name)) continue
    for (const [at, line] of (INTERNAL_ENDPOINT_CASES[name] ?? []).entries()) {
      if (line.endsSession) continue
      const ids = [...((await line.ids?.(world, 'owner')) ?? [])]
      const body = typeof line.body === 'function' ? line.body(world) : (line.body ?? {})
      const url = endpoint.path.replace(/:\w+/g, () => ids.shift() ?? '') + (line.query ?? '')
      const { headers } = sessions.owner
      yield {
        name: `${name} (${at})`,
        call: { method: endpoint.method, url, headers, ...(endpoint.body && { body }) },
        outcome: line.outcomes[0],
      }
    }
  }

  async function newestSequence(call: ApiCall): Promise<number> {
    const position = await callApiForJson<{ newest_sequence: number }>(server, key, call)
    return position.newest_sequence
  }
}

interface RequestCost {
  name: string
  pages: number
}

async function measureRequests(
  docket: TestDocket,
  { countPages }: PageMeter,
  world: MeasuredWorkspace,
  limitOf: (name: string, at: number) => number = () => Number.POSITIVE_INFINITY,
  queries = Number.POSITIVE_INFINITY,
): Promise<RequestCost[]> {
  const costs: RequestCost[] = []
  for await (const { name, call, key, outcome } of requestsTo(docket, world, queries)) {
    let reply = ''
    const send = async () => {
      reply = summarizeReply(await callApi(docket.server, key, call))
    }
    const counts = [await countPages(send)]
    // Once more, because the process may have read something else meanwhile.
    const isTooMuch = (counts[0] ?? 0) > limitOf(name, costs.length)
    if (isTooMuch && call.method === 'GET') counts.push(await countPages(send))
    if (outcome === undefined) assert.match(reply, /^20/, `${call.method} ${call.url}`)
    else assert.equal(reply, outcome, `${call.method} ${call.url}`)
    costs.push({ name, pages: Math.min(...counts) })
  }
  return costs
}

const withoutIds = (name: string) => name.replaceAll(/\b[a-z]{3}_\w+/g, '')

function sparePagesOf(name: string): number {
  if (!name.startsWith('GET')) return SPARE_PAGES_OF_WRITE
  if (/\bq=|search/.test(name)) return SPARE_PAGES_OF_WORDS
  return /(tasks|comments|time-entries)\?.*&/.test(name) ? SPARE_PAGES_OF_FILTER : SPARE_PAGES
}

const findKnownGrowth = (engine: DatabaseEngine, name: string) =>
  KNOWN_GROWTH.find(([requests, , only]) => requests.test(name) && (only ?? engine) === engine)

/** Whether pages can be counted here: SQLite tells no counts itself. */
export const isMeasured = (engine: DatabaseEngine) =>
  ENGINES.includes(engine) && (engine !== 'sqlite' || existsSync(IO_COUNTERS))

/** Asserts that no request reads more pages among many tasks than among few. */
export async function assertSteadyCosts(engine: DatabaseEngine): Promise<void> {
  const [docket, meter] =
    engine === 'postgres' ? await openPostgresMeter() : await openSqliteDocket()
  // The first requests of a process load modules, and connect.
  const none = await createWorkspace(docket, meter, 0)
  await measureRequests(docket, meter, none, undefined, 1)
  const few = await createWorkspace(docket, meter, FEW_TASKS)
  const many = await createWorkspace(docket, meter, MANY_TASKS)
  await meter.database.run(
    engine === 'sqlite' ? 'pragma wal_checkpoint(truncate)' : 'vacuum analyze',
  )
  const small = await measureRequests(docket, meter, few)
  const expectedPages = (at: number) => small[at]?.pages ?? 0
  const limitOf = (name: string, at: number) =>
    Math.min(MAX_GROWTH * expectedPages(at) + sparePagesOf(name), MAX_PAGES)
  const large = await measureRequests(docket, meter, many, limitOf)
  assert.deepEqual(
    large.map(({ name }) => withoutIds(name)),
    small.map(({ name }) => withoutIds(name)),
  )
  const exceptions = new Set<unknown>()
  const grown = large.flatMap(({ name, pages }, at) => {
    if (pages <= limitOf(name, at)) return []
    const known = findKnownGrowth(engine, name)
    exceptions.add(known)
    return known && pages <= MAX_KNOWN_PAGES
      ? []
      : [`${name}: ${pages} pages, ${expectedPages(at)} among few tasks`]
  })
  assert.deepEqual(grown, [])
  // What depends on the statistics that PostgreSQL samples may come and go.
  const unused = KNOWN_GROWTH.filter(([, , only]) => only === undefined)
  assert.deepEqual(
    unused.filter((known) => !exceptions.has(known)),
    [],
    'Requests that cost no more by now',
  )
}

async function openSqliteDocket(): Promise<[TestDocket, PageMeter]> {
  const docket = await openFreshDocket('sqlite')
  return [docket, openSqliteMeter(docket)]
}
