import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
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
import {
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
} from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

const STATEMENTS = {
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
const statementsOf = (engine: DatabaseEngine) =>
  Object.entries(STATEMENTS).map(([name, { text }]) => ({ name, sql: text(engine).sql }))

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

test('SQLite reads changes from indexes in their order', () => {
  const path = join(createTempDir(), 'docket.db')
  closeAfterFile(openSqlite({ path, ...TEST_STORE_OPTIONS }))
  const db = new DatabaseSync(path)
  for (const { name, sql } of statementsOf('sqlite')) {
    const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
    const plan = db.prepare(`explain query plan ${sql}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
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
  db.close()
})

interface FeedPlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: FeedPlanNode[]
}
const nodesOf = (plan: FeedPlanNode): FeedPlanNode[] => [
  plan,
  ...(plan.Plans ?? []).flatMap(nodesOf),
]

test('PostgreSQL reads changes from indexes', async () => {
  const { url, admin } = await createEmptyDatabase()
  closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS }))
  // The tables of this test are so small that reading one whole is no worse.
  await admin.query('set enable_seqscan = off')
  for (const { name, sql } of statementsOf('postgres')) {
    const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    const context = `${name}\n${JSON.stringify(nodes[0], null, 1)}`
    for (const node of nodes) {
      if (node['Relation Name'] === undefined || node['Node Type'] === 'Bitmap Heap Scan') continue
      assert.ok(node['Index Cond'] !== undefined, context)
    }
  }
})
