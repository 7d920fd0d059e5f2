import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openTestDocket, type TestDocket } from '../../support/engines/test-docket.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../support/postgres/embedded-postgres.ts'
import { type Standby, startStandby, withAdminClient } from '../../support/postgres/standby.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { createTestSession } from '../../support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '../../support/world/test-workspace.ts'

const TURNS = 20

let primary: EmbeddedPostgres
let standby: Standby
let docket: TestDocket
let team: TestWorkspace
let session: Record<string, string>

before(async () => {
  primary = await startEmbeddedPostgres()
  standby = await startStandby(primary)
  const urls = { DOCKET_DATABASE_URL: primary.url, DOCKET_DATABASE_REPLICA_URL: standby.url }
  docket = await openTestDocket('postgres', urls)
  team = await createTestWorkspace(docket.storage)
  session = (await createTestSession(docket.storage, team, 'owner')).headers
})
after(async () => {
  await standby.remove()
  await primary.remove()
})

async function newTask(): Promise<string> {
  const reply = await docket.server.inject({
    method: 'POST',
    url: '/api/v1/tasks',
    headers: { authorization: `Bearer ${team.keys.owner}` },
    payload: { project_id: team.project, title: 'Counted' },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().id
}

/** Changes a task, and returns the number of changes in its activity. */
async function changeAndCount(task: string, title: string): Promise<number> {
  const patch = await docket.server.inject({
    method: 'PATCH',
    url: `/api/v1/tasks/${task}`,
    headers: { authorization: `Bearer ${team.keys.owner}` },
    payload: { title },
  })
  assert.equal(patch.statusCode, 200, patch.body)
  const url = `/internal/tasks/${task}/activity?limit=200`
  const reply = await docket.server.inject({ method: 'GET', url, headers: session })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().data.length - 1
}

const replicaStats = () => {
  const { replica } = docket.storage.stats()
  assert.ok(replica)
  return { ...replica }
}

test('acknowledged writes are visible at once in reads from the replica', async () => {
  const task = await newTask()
  for (let turn = 1; turn <= TURNS; turn += 1) {
    assert.equal(await changeAndCount(task, `Turn ${turn}`), turn)
  }
  await changeUntilReplicaIsRead(task, TURNS)
})

/** Changes a task until its activity is read from the replica: after a failure it is left for 10 s. */
async function changeUntilReplicaIsRead(task: string, changes: number): Promise<void> {
  const before = replicaStats().replica
  let turn = changes
  await waitUntil('it is asked', async () => {
    turn += 1
    assert.equal(await changeAndCount(task, `Again ${turn}`), turn)
    return replicaStats().replica > before
  })
}

test('reads from the primary while the replica lags behind', async () => {
  await changeUntilReplicaIsRead(await newTask(), 0)
  await withAdminClient(standby.url, (admin) => admin.query('select pg_wal_replay_pause()'))
  let task = ''
  const before = replicaStats()
  // After a failure it is not asked for 10 s.
  await waitUntil('it lags', async () => {
    task = await newTask()
    for (const turn of [1, 2, 3]) assert.equal(await changeAndCount(task, `Late ${turn}`), turn)
    return replicaStats().behind > 0
  })
  const has = 'select count(*)::int as n from activity where task_id = $1'
  const onStandby = await withAdminClient(
    standby.url,
    async (admin) => (await admin.query(has, [task])).rows[0],
  )
  assert.deepEqual(onStandby, { n: 0 }, 'it would have told of less')
  assert.equal(replicaStats().replica, before.replica)
  await withAdminClient(standby.url, (admin) => admin.query('select pg_wal_replay_resume()'))
  await changeUntilReplicaIsRead(task, 3)
})

test('ignores a replica URL that is no standby of this database', async () => {
  const env = { DOCKET_DATABASE_URL: primary.url }
  for (const other of [process.env.TEST_POSTGRES ?? '', primary.url]) {
    const { storage } = await openTestDocket('postgres', {
      ...env,
      DOCKET_DATABASE_REPLICA_URL: other,
    })
    const { actor } = await storage.readReplica(ANONYMOUS_ACTOR, async (tx) => ({
      actor: tx.actor,
    }))
    assert.ok(actor)
    assert.deepEqual(storage.stats().replica, { replica: 0, primary: 1, behind: 0 })
  }
})

test('reads from the primary when the replica is gone', async () => {
  const task = await newTask()
  const before = replicaStats()
  await standby.kill()
  for (const turn of [1, 2, 3]) assert.equal(await changeAndCount(task, `Gone ${turn}`), turn)
  assert.equal(replicaStats().primary, before.primary + 3)
})
