import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Engine } from '#core/tx.ts'
import {
  bodiesFound,
  candidatesOf,
  countOf,
  type Shape,
  tasksFound,
} from '#resources/search/store.ts'
import { migrateSqlite } from '#storage/migrate-sqlite.ts'
import { openPostgres } from '#storage/postgres.ts'
import { closing, emptyDatabase, surroundings } from '../support/store.ts'

/** Every statement of a search: without filters, with all, and without an assignee. */
function statements(engine: Engine): string[] {
  const none = { described: false, project: false, assignees: false, unassigned: false }
  const all = { described: true, project: true, assignees: true, unassigned: true, authors: true }
  const filters = [{ ...none, authors: false }, all, { ...all, assignees: false }]
  const ways = [
    ...(['id', 'whole', 'begun'] as const).map((by) => ({ of: 'task', by }) as const),
    ...(['whole', 'begun'] as const).map((by) => ({ of: 'comment', by }) as const),
  ]
  const shapes: Shape[] = ways.flatMap((way) => filters.map((filter) => ({ ...filter, ...way })))
  const others = [countOf('task'), countOf('comment'), tasksFound, bodiesFound]
  return [...shapes.map((shape) => candidatesOf(shape)), ...others].map(
    (query) => query.text(engine).sql,
  )
}

/** What is not of a workspace, or was found by its words already. */
const FREE = /^(found|json_each|task_words|comment_words)$/

test('SQLite serves a search by indexes alone', () => {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db)
  for (const sql of statements('sqlite')) {
    const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
    const plan = db.prepare(`explain query plan ${sql}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
    const told = `${sql}\n${lines.join('\n')}`
    for (const line of lines) {
      const [, way, name = ''] = /^(SCAN|SEARCH) (\S+)/.exec(line) ?? []
      if (!way) continue
      if (way === 'SCAN') assert.match(name, FREE, told)
      else assert.match(line, /\((workspace_id=\?|rowid=\?|search_id=\?)|INTEGER PRIMARY KEY/, told)
      assert.doesNotMatch(line, /AUTOMATIC/, told)
    }
    if (sql.includes('match')) {
      assert.ok(
        lines.some((line) => /_words VIRTUAL TABLE INDEX \d+:.*M/.test(line)),
        told,
      )
    }
  }
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('PostgreSQL serves a search by indexes alone', async () => {
  const { url, admin } = await emptyDatabase()
  closing(await openPostgres({ url, ...surroundings }))
  await admin.query('set enable_seqscan = off')
  for (const sql of statements('postgres')) {
    const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    const told = `${sql}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      assert.notEqual(node['Node Type'], 'Seq Scan', told)
      // Who sees a project is asked as everywhere: that is held in plans.test.ts, with many rows.
      const condition = node['Index Cond']?.startsWith('(user_id') ? undefined : node['Index Cond']
      if (condition) assert.match(condition, /workspace_id|words @@/, told)
    }
  }
})
