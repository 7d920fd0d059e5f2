import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import {
  matchedComments,
  matchedTasks,
  type SearchQueryShape,
  selectCandidateCount,
  selectCandidates,
} from '#resources/web-app/search/store.ts'
import {
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
} from '../support/engines/test-database.ts'

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
    const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
    const plan = db.prepare(`explain query plan ${sql}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
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

interface SearchPlan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: SearchPlan[]
}

const nodesOf = (plan: SearchPlan): SearchPlan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('PostgreSQL serves a search from indexes only', async () => {
  const { url, admin } = await createEmptyDatabase()
  closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS }))
  await admin.query('set enable_seqscan = off')
  for (const sql of searchStatements('postgres')) {
    const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    const context = `${sql}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      assert.notEqual(node['Node Type'], 'Seq Scan', context)
      // test/storage/plans.test.ts checks the conditions on project access, with many rows.
      const condition = node['Index Cond']?.startsWith('(user_id') ? undefined : node['Index Cond']
      if (condition) assert.match(condition, /workspace_id|words @@/, context)
    }
  }
})
