import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Actor, NOBODY } from '#core/actor.ts'
import { command, query, type Scoped } from '#storage/statement.ts'
import { attnumsOf } from '#test/support/distribution.ts'
import { docketOn, type Served } from '#test/support/engines.ts'
import { type Home, newHome } from '#test/support/home.ts'

/**
 * Scenarios come to PostgreSQL as a role that is shown the rows of the workspace that a statement binds,
 * and no others. Here is told that these walls stand; Docket itself does not lean on them.
 */
const admin = new pg.Client(process.env.TEST_POSTGRES)
let walled: pg.Client
let served: Served
let ours: Home
let theirs: Home

before(async () => {
  await admin.connect()
  served = await docketOn('postgres')
  walled = new pg.Client(served.config.databaseUrl)
  await walled.connect()
  ours = await newHome(served.storage)
  theirs = await newHome(served.storage)
})
after(() => Promise.all([admin.end(), walled.end()]))

const us = (): Actor => ({ ...NOBODY, role: 'owner', workspace_id: ours.workspace })

test('a query that names no workspace finds nothing, on every table that is of workspaces', async () => {
  const tables = [...(await attnumsOf(admin)).keys()]
  assert.ok(tables.length > 20, tables.join())
  const { rowCount } = await admin.query('select 1 from projects')
  assert.ok((rowCount ?? 0) >= 4, 'there is something to find')
  for (const table of tables) {
    assert.equal((await walled.query(`select 1 from ${table}`)).rowCount, 0, table)
  }
  await walled.query("select set_config('docket.workspace_id', $1, false)", [theirs.workspace])
  const { rows } = await walled.query({
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

test('a statement that forgets its workspace on one table finds and changes nothing of others', async () => {
  const { storage } = served
  const found = await storage.read(us(), (tx) => tx.all(everyProject, {}))
  assert.deepEqual(found, [{ of: ours.workspace }])
  const changed = (id: string) => storage.write(us(), (tx) => tx.run(renameTheirs, { id }))
  assert.deepEqual([await changed(ours.project), await changed(theirs.project)], [1, 0])
  const put = { other: theirs.workspace, project_id: theirs.project }
  await assert.rejects(
    storage.write(us(), (tx) => tx.run(putIntoTheirs, put)),
    /row-level security/,
  )
})
