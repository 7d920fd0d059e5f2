import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { burden, type Opened } from './backlog-burden.ts'
import { steps } from './backlog-steps.ts'

/** Deliveries that wait for each of ten webhooks; with `BACKLOG=100000` a million in all. */
const WAITING = Number(process.env.BACKLOG ?? 2_000)
const LARGE = 100_000
const MANY = ['deliveries', 'delivery_attempts', 'events', 'tasks']

test('SQLite reads no more for it, however much waits', async () => {
  const burdened = await burden('sqlite', WAITING)
  const texts = await preparedDuring(() => allSteps(burdened))
  assert.ok(texts.length > 40, `${texts.length} statements`)
  assert.deepEqual(await scansOf(burdened, texts), [])
  await burdened.look('drop index deliveries_pending')
  assert.notDeepEqual(await scansOf(burdened, texts), [])
})

test('PostgreSQL reads no more for it, however much waits', async () => {
  const burdened = await burden('postgres', WAITING)
  const { look } = burdened
  const sent = await sentDuring(() => allSteps(burdened))
  // All of a small table is read in less time than some of it is looked up.
  if (WAITING < LARGE) await look('set enable_seqscan = off; set enable_hashjoin = off')
  assert.ok(sent.length > 40, `${sent.length} statements`)
  assert.deepEqual(await floodsOf(burdened, sent), [], 'before anybody has counted the rows')
  await look('analyze')
  assert.deepEqual(await floodsOf(burdened, sent), [], 'after it')
  await look('drop index deliveries_pending')
  assert.notDeepEqual(await floodsOf(burdened, sent), [])
})

async function allSteps(burdened: Opened): Promise<void> {
  for (const step of Object.values(steps(burdened))) await step()
}

async function preparedDuring(work: () => Promise<void>): Promise<string[]> {
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

/** Parts of plans that would take the longer the more there is. */
async function scansOf({ look }: Opened, texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const sql of texts) {
    const slots = sql.replaceAll('?', 'null')
    const names = Object.fromEntries(
      [...sql.matchAll(/"?(\w+)"? as "?(\w+)"?/g)].map(([, table = '', name]) => [name, table]),
    )
    for (const { detail } of await look(`explain query plan ${slots}`)) {
      const line = String(detail)
      const [, way, name = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
      const isMany = MANY.includes(names[name] ?? name)
      const isNarrow = way === 'SEARCH' && /\(workspace_id=\? AND \w+[=<>]/.test(line)
      if ((isMany && !isNarrow) || line.includes('TEMP B-TREE')) found.push(`${line}: ${sql}`)
    }
  }
  return found
}

interface Sent {
  text: string
  values: readonly unknown[]
}

async function sentDuring(work: () => Promise<void>): Promise<Sent[]> {
  const { query } = pg.Client.prototype
  const sent = new Map<string, Sent>()
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [one] = given as [string | Sent]
    if (typeof one !== 'string') sent.set(one.text, { text: one.text, values: one.values })
    return Reflect.apply(query, this, given)
  } as typeof query
  await work().finally(() => {
    pg.Client.prototype.query = query
  })
  return [...sent.values()]
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** A step looks at 2,000 events, and makes or cancels 500 deliveries; each page of rows is that small. */
const MOST: Record<string, number> = { events: 10_001, deliveries: 1_000, delivery_attempts: 1_000 }
const TAKEN = '23505'

/** Statements that read many rows of a table, by plans with these values and by plans for any. */
async function floodsOf({ look }: Opened, sent: readonly Sent[]): Promise<string[]> {
  const found: string[] = []
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await look(`set plan_cache_mode = ${mode}`)
    for (const one of sent) {
      for (const node of await nodesRun(look, one)) {
        const removed = node['Rows Removed by Filter'] ?? 0
        const rows = (node['Actual Rows'] + removed) * node['Actual Loops']
        const table = node['Relation Name'] ?? ''
        if (rows > (MOST[table] ?? Number.POSITIVE_INFINITY)) {
          found.push(`${mode}: ${node['Node Type']} of ${rows} ${table}: ${one.text}`)
        }
      }
    }
  }
  return found
}

/** What happens when a statement is run, which is taken back. */
async function nodesRun(look: Opened['look'], { text, values }: Sent): Promise<Plan[]> {
  const isInsert = text.startsWith('insert into "deliveries"')
  const given = values.map((value) => {
    if (typeof value === 'number' || value === null) return String(value)
    // What is inserted is there already, under its own id.
    const own = isInsert && /^dlv_\w+$/.test(String(value)) ? `${value}_` : String(value)
    return `'${own.replaceAll("'", "''")}'`
  })
  await look(`prepare flood as ${text}`)
  await look('begin')
  try {
    const run = `flood${given.length > 0 ? `(${given.join()})` : ''}`
    const [row = {}] = await look(`explain (analyze, format json) execute ${run}`)
    const [{ Plan }] = row['QUERY PLAN'] as [{ Plan: Plan }]
    return nodesOf(Plan)
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === TAKEN) return []
    throw error
  } finally {
    await look('rollback')
    await look('deallocate flood')
  }
}
