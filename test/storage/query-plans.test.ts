import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type pg from 'pg'
import { createUserActor } from '#core/actor.ts'
import type { DatabaseEngine, Query, Storage } from '#core/transaction.ts'
import { newestEvent } from '#db/events/outbox.ts'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite, restorePlannerStatistics } from '#db/sqlite/open-sqlite.ts'
import {
  commentsOfAuthorAfter,
  feedState,
  membersToWalk,
  nextProject,
  numberedChanges,
  recordsOfProjectAfter,
  recordsOfTasksAfter,
  tasksAfter,
} from '#resources/changes/store.ts'
import { recordOf } from '#resources/nouns.ts'
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
import { RECORD_TYPES } from '#wire/scopes.ts'
import { copyTaskRows, insertTaskLinks } from '../support/data/copied-tasks.ts'
import {
  atEnd,
  closeAfterFile,
  createEmptyDatabase,
  createMigratedDatabase,
  TEST_STORE_OPTIONS,
} from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

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
  numberedChanges: numberedChanges(RECORD_TYPES),
  commentsOfAuthorAfter,
  membersToWalk,
  nextProject: nextProject(false),
  oneProject: nextProject(true),
  tasksAfter,
  ...Object.fromEntries(
    RECORD_TYPES.flatMap((type) => {
      const { of } = recordOf(type)
      if (type === 'task' || of === 'workspace') return []
      const after = of === 'project' ? recordsOfProjectAfter(type) : recordsOfTasksAfter(type)
      return [[`${type}After`, after]]
    }),
  ),
}

/** A poll begins at its place in each of them, and does not read what came before. */
const NUMBERED_TABLES = RECORD_TYPES.map((type) => recordOf(type).table)

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
      if (name === 'attachmentAfter' && line.endsWith('LAST TERM OF ORDER BY')) continue
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
