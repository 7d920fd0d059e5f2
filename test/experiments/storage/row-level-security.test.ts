import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, query, type Scoped } from '#db/core/statement.ts'
import { readDistributionAttnums } from '#test/support/engines/table-distribution.ts'
import { openTestDocket, type TestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace, type TestWorkspace } from '#test/support/world/test-workspace.ts'

/**
 * Scenarios use PostgreSQL as a role that sees only the rows of the workspace that a statement
 * binds. These tests check that row-level security; Docket itself does not rely on it.
 */
const admin = new pg.Client(process.env.TEST_POSTGRES)
let restricted: pg.Client
let served: TestDocket
let ours: TestWorkspace
let theirs: TestWorkspace

before(async () => {
  await admin.connect()
  served = await openTestDocket('postgres')
  restricted = new pg.Client(served.config.databaseUrl)
  await restricted.connect()
  ours = await createTestWorkspace(served.storage)
  theirs = await createTestWorkspace(served.storage)
})
after(() => Promise.all([admin.end(), restricted.end()]))

const ourOwner = (): Actor => ({ ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: ours.workspace })

test('a query without a workspace finds nothing on any tenant table', async () => {
  const tables = [...(await readDistributionAttnums(admin)).keys()]
  assert.ok(tables.length > 20, tables.join())
  const { rowCount } = await admin.query('select 1 from projects')
  assert.ok((rowCount ?? 0) >= 4, 'there is something to find')
  for (const table of tables) {
    assert.equal((await restricted.query(`select 1 from ${table}`)).rowCount, 0, table)
  }
  await restricted.query("select set_config('docket.workspace_id', $1, false)", [theirs.workspace])
  const { rows } = await restricted.query({
    text: 'select distinct workspace_id from projects',
    rowMode: 'array',
  })
  assert.deepEqual(rows, [[theirs.workspace]])
})

const everyProject = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .innerJoin('projects', (on) => on.onTrue())
    .select('projects.workspace_id as of')
    .distinct()
    .where('workspaces.id', '=', $.workspace_id),
)

const renameTheirs = command((db, $: Scoped<{ id: string }>) =>
  db.updateTable('projects').set({ description: $.workspace_id }).where('id', '=', $.id),
)

const putIntoTheirs = command((db, $: Scoped<{ other: string; project_id: string }>) =>
  db.insertInto('project_prefixes').values({
    workspace_id: $.other,
    prefix: $.workspace_id,
    project_id: $.project_id,
  }),
)

test('a statement without the workspace on one table neither reads nor changes other workspaces', async () => {
  const { storage } = served
  const found = await storage.read(ourOwner(), (tx) => tx.all(everyProject, {}))
  assert.deepEqual(found, [{ of: ours.workspace }])
  const changed = (id: string) => storage.write(ourOwner(), (tx) => tx.run(renameTheirs, { id }))
  assert.deepEqual([await changed(ours.project), await changed(theirs.project)], [1, 0])
  const put = { other: theirs.workspace, project_id: theirs.project }
  await assert.rejects(
    storage.write(ourOwner(), (tx) => tx.run(putIntoTheirs, put)),
    /row-level security/,
  )
})
