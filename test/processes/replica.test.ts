import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { type Embedded, embeddedPostgres } from '../support/embedded.ts'
import { docketOn, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { sessionOf } from '../support/session.ts'
import { asked, type Standby, standbyOf } from '../support/standby.ts'
import { until } from '../support/until.ts'

const TURNS = 20

let primary: Embedded
let standby: Standby
let docket: Served
let home: Home
let session: Record<string, string>

before(async () => {
  primary = await embeddedPostgres()
  standby = await standbyOf(primary)
  const urls = { DOCKET_DATABASE_URL: primary.url, DOCKET_DATABASE_REPLICA_URL: standby.url }
  docket = await docketOn('postgres', urls)
  home = await newHome(docket.storage)
  session = (await sessionOf(docket.storage, home, 'owner')).headers
})
after(async () => {
  await standby.remove()
  await primary.remove()
})

async function newTask(): Promise<string> {
  const reply = await docket.server.inject({
    ...{ method: 'POST', url: '/api/v1/tasks' },
    headers: { authorization: `Bearer ${home.keys.owner}` },
    payload: { project_id: home.project, title: 'Counted' },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().id
}

/** Changes a task, and how many changes its activity tells of then. */
async function changed(task: string, title: string): Promise<number> {
  const patch = await docket.server.inject({
    ...{ method: 'PATCH', url: `/api/v1/tasks/${task}` },
    headers: { authorization: `Bearer ${home.keys.owner}` },
    payload: { title },
  })
  assert.equal(patch.statusCode, 200, patch.body)
  const url = `/internal/tasks/${task}/activity?limit=200`
  const reply = await docket.server.inject({ method: 'GET', url, headers: session })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().data.length - 1
}

const use = () => {
  const { replica } = docket.storage.vitals()
  assert.ok(replica)
  return { ...replica }
}

test('what was acknowledged is seen at once, also where a replica reads it', async () => {
  const task = await newTask()
  for (let turn = 1; turn <= TURNS; turn += 1) {
    assert.equal(await changed(task, `Turn ${turn}`), turn)
  }
  assert.ok(use().replica > 0, JSON.stringify(use()))
})

test('a replica that lags is asked for nothing that it does not have', async () => {
  const task = await newTask()
  const before = use()
  await asked(standby.url, (admin) => admin.query('select pg_wal_replay_pause()'))
  for (const turn of [1, 2, 3]) assert.equal(await changed(task, `Late ${turn}`), turn)
  const has = 'select count(*)::int as n from activity where task_id = $1'
  const there = await asked(standby.url, async (admin) => (await admin.query(has, [task])).rows[0])
  assert.deepEqual(there, { n: 0 }, 'it would have told of less')
  assert.equal(use().replica, before.replica)
  assert.ok(use().behind > 0)
  await asked(standby.url, (admin) => admin.query('select pg_wal_replay_resume()'))
  let turn = 3
  await until('it has caught up and is asked again', async () => {
    turn += 1
    assert.equal(await changed(task, `Again ${turn}`), turn)
    return use().replica > before.replica
  })
})

test('what has only the address of a standby, but is none of this database, is not read', async () => {
  const env = { DOCKET_DATABASE_URL: primary.url }
  for (const other of [process.env.TEST_POSTGRES ?? '', primary.url]) {
    const { storage } = await docketOn('postgres', { ...env, DOCKET_DATABASE_REPLICA_URL: other })
    const { actor } = await storage.readFar(NOBODY, async (tx) => ({ actor: tx.actor }))
    assert.ok(actor)
    assert.deepEqual(storage.vitals().replica, { replica: 0, primary: 1, behind: 0 })
  }
})

test('a replica that is gone costs nothing but its help', async () => {
  const task = await newTask()
  const before = use()
  await standby.kill()
  for (const turn of [1, 2, 3]) assert.equal(await changed(task, `Gone ${turn}`), turn)
  assert.equal(use().primary, before.primary + 3)
})
