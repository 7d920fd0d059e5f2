import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { type BacklogDatabase, createBacklogDatabase } from './backlog-database.ts'
import { createDispatchSteps } from './backlog-steps.ts'

/** Pending deliveries of each of ten webhooks; with `BACKLOG=100000` a million in total. */
const PENDING = Number(process.env.BACKLOG ?? 2_000)
const LARGE_BACKLOG = 100_000
const GROWING_TABLES = ['deliveries', 'delivery_attempts', 'events', 'tasks']

test('the cost of dispatch steps on SQLite does not grow with the backlog', async () => {
  const backlog = await createBacklogDatabase('sqlite', PENDING)
  const texts = await recordPrepared(() => runAllSteps(backlog))
  assert.ok(texts.length > 40, `${texts.length} statements`)
  assert.deepEqual(await findScans(backlog, texts), [])
  await backlog.runSql('drop index deliveries_pending')
  assert.notDeepEqual(await findScans(backlog, texts), [])
})

test('the cost of dispatch steps on PostgreSQL does not grow with the backlog', async () => {
  const backlog = await createBacklogDatabase('postgres', PENDING)
  const { runSql } = backlog
  const sent = await recordSent(() => runAllSteps(backlog))
  // On small tables a sequential scan is cheaper than an index.
  if (PENDING < LARGE_BACKLOG) await runSql('set enable_seqscan = off; set enable_hashjoin = off')
  assert.ok(sent.length > 40, `${sent.length} statements`)
  assert.deepEqual(await findLargeReads(backlog, sent), [], 'before analyze')
  // As after an automatic analyze, which takes one table after the other.
  await runSql('analyze events')
  assert.deepEqual(await findLargeReads(backlog, sent), [], 'with statistics of one table')
  await runSql('analyze')
  assert.deepEqual(await findLargeReads(backlog, sent), [], 'after analyze')
  await runSql('drop index deliveries_pending')
  assert.notDeepEqual(await findLargeReads(backlog, sent), [])
})

async function runAllSteps(backlog: BacklogDatabase): Promise<void> {
  for (const step of Object.values(createDispatchSteps(backlog))) await step()
}

async function recordPrepared(work: () => Promise<void>): Promise<string[]> {
  const { prepare } = DatabaseSync.prototype
  const texts: string[] = []
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, options) {
    texts.push(sql)
    return Reflect.apply(prepare, this, [sql, options])
  }
  await work().finally(() => {
    DatabaseSync.prototype.prepare = prepare
  })
  return texts.filter((sql) => /^(select|insert|update|delete|with)\b/.test(sql))
}

/** Finds parts of plans whose cost grows with the backlog. */
async function findScans({ runSql }: BacklogDatabase, texts: readonly string[]): Promise<string[]> {
  const findings: string[] = []
  for (const sql of texts) {
    const slots = sql.replaceAll('?', 'null')
    const names = Object.fromEntries(
      [...sql.matchAll(/"?(\w+)"? as "?(\w+)"?/g)].map(([, table = '', name]) => [name, table]),
    )
    for (const { detail } of await runSql(`explain query plan ${slots}`)) {
      const line = String(detail)
      const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
      const isMany = GROWING_TABLES.includes(names[name] ?? name)
      const isNarrow = way === 'SEARCH' && /\(workspace_id=\? AND \w+[=<>]/.test(line)
      if ((isMany && !isNarrow) || line.includes('TEMP B-TREE')) findings.push(`${line}: ${sql}`)
    }
  }
  return findings
}

interface SentStatement {
  text: string
  values: readonly unknown[]
}

async function recordSent(work: () => Promise<void>): Promise<SentStatement[]> {
  const { query } = pg.Client.prototype
  const sent = new Map<string, SentStatement>()
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [one] = args as [string | pg.QueryConfig<unknown[]>]
    // Checks of a new connection, which a step may open, have no values.
    if (typeof one !== 'string' && one.values) {
      sent.set(one.text, { text: one.text, values: one.values })
    }
    return Reflect.apply(query, this, args)
  } as typeof query
  await work().finally(() => {
    pg.Client.prototype.query = query
  })
  return [...sent.values()]
}

interface BacklogPlan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: BacklogPlan[]
}

const nodesOf = (plan: BacklogPlan): BacklogPlan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** A step reads at most 2,000 events and creates or cancels 500 deliveries; pages are small. */
const MAX_ROWS: Record<string, number> = {
  events: 10_001,
  deliveries: 1_000,
  delivery_attempts: 1_000,
}
const UNIQUE_VIOLATION = '23505'

/** Finds statements that read many rows of a table, with custom and with generic plans. */
async function findLargeReads(
  { runSql }: BacklogDatabase,
  sent: readonly SentStatement[],
): Promise<string[]> {
  const findings: string[] = []
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await runSql(`set plan_cache_mode = ${mode}`)
    for (const one of sent) {
      for (const node of await runAndExplain(runSql, one)) {
        const removed = node['Rows Removed by Filter'] ?? 0
        const rows = (node['Actual Rows'] + removed) * node['Actual Loops']
        const table = node['Relation Name'] ?? ''
        if (rows > (MAX_ROWS[table] ?? Number.POSITIVE_INFINITY)) {
          findings.push(`${mode}: ${node['Node Type']} of ${rows} ${table}: ${one.text}`)
        }
      }
    }
  }
  return findings
}

/** Runs a statement in a transaction that is rolled back, and returns the nodes of its plan. */
async function runAndExplain(
  look: BacklogDatabase['runSql'],
  { text, values }: SentStatement,
): Promise<BacklogPlan[]> {
  const isInsert = text.startsWith('insert into "deliveries"')
  const literals = values.map((value) => {
    if (typeof value === 'number' || value === null) return String(value)
    // The inserted deliveries already exist, so they get other ids.
    const unique = isInsert && /^dlv_\w+$/.test(String(value)) ? `${value}_` : String(value)
    return `'${unique.replaceAll("'", "''")}'`
  })
  await look(`prepare flood as ${text}`)
  await look('begin')
  try {
    const run = `flood${literals.length > 0 ? `(${literals.join()})` : ''}`
    const [row = {}] = await look(`explain (analyze, format json) execute ${run}`)
    const [{ Plan }] = row['QUERY PLAN'] as [{ Plan: BacklogPlan }]
    return nodesOf(Plan)
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return []
    throw error
  } finally {
    await look('rollback')
    await look('deallocate flood')
  }
}
