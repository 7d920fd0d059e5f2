import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
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
import { copyTaskRows, insertTaskLinks } from '../support/data/copied-tasks.ts'
import {
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
} from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

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
const statementsOf = (engine: DatabaseEngine) =>
  Object.entries(WALKS).map(([name, walk]) => ({ name, sql: walk.text(engine).sql }))

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
  const path = join(createTempDir(), 'docket.db')
  await fillStore(closeAfterFile(openSqlite({ path, ...TEST_STORE_OPTIONS })))
  const db = new DatabaseSync(path)
  for (const analyze of ['drop table if exists sqlite_stat1', 'analyze']) {
    db.exec(analyze)
    for (const { name, sql } of statementsOf('sqlite')) {
      const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
      const plan = db.prepare(`explain query plan ${sql}`).all(...values)
      const lines = plan.map(({ detail }) => String(detail))
      const context = `${name} after ${analyze}\n${lines.join('\n')}`
      for (const line of lines) {
        const [, way, table = ''] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
        if (!way || !['tasks', 'task_blocks', 'link', 'other'].includes(table)) continue
        assert.match(line, /SEARCH .*workspace_id=\? AND \w+=\?/, context)
      }
    }
  }
  db.close()
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}
const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

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
    for (const { name, sql } of statementsOf('postgres')) {
      const { rows } = await admin.query(`explain (generic_plan, format json) ${sql}`)
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
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
