import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { findRaceFaults } from '../concurrency/idempotency.ts'
import { callWithKey, countOutcomes, incrementConcurrently } from '../concurrency/races.ts'
import { findNumberFaults } from '../concurrency/task-numbers.ts'
import {
  callApi,
  callApiForJson,
  type InjectableServer,
  summarizeReply,
} from '../support/api/call-api.ts'
import { atEnd, closeAfterFile, createMigratedDatabase } from '../support/engines/test-database.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

/** Repeats the races of test/concurrency through two processes on one PostgreSQL. */
const PROCESSES = 2

let storage: Storage
let server: InjectableServer
let team: TestWorkspace

before(async () => {
  const env = {
    DOCKET_DATABASE_URL: (await createMigratedDatabase()).url,
    DOCKET_SECRET: TEST_SECRET,
  }
  const opened = await openStore(parseConfig({ ...env, DOCKET_DATA_DIR: createTempDir() }))
  storage = closeAfterFile(opened.storage)
  const dirs = Array.from({ length: PROCESSES }, createTempDir)
  const running = await Promise.all(dirs.map((dir) => startServer(dir, { env, role: 'serve' })))
  atEnd(() => Promise.all(running.map((one) => endServer(one, 'SIGKILL'))))
  server = createRoundRobinServer(running.map(({ port }) => port))
  team = await createTestWorkspace(storage)
})

const newTask = async () => {
  const body = { project_id: team.project, title: 'Task' }
  const { owner } = team.keys
  return (await callApiForJson(server, owner, { method: 'POST', url: '/api/v1/tasks', body })).id
}

test('numbers tasks without gaps through two processes, and resolves old short ids', async () => {
  assert.deepEqual(await findNumberFaults({ storage, server }, 2), [])
})

test('forty requests with one idempotency key through two processes take effect once', async () => {
  assert.deepEqual(await findRaceFaults({ storage, server }, team, 40), [])
})

test('loses no increment with If-Match through two processes', async () => {
  const { actual, expected } = await incrementConcurrently(
    callWithKey(server, team.keys.owner),
    await newTask(),
    8,
    6,
  )
  assert.deepEqual(actual, expected)
})

test('fifty concurrent completions through two processes emit one event', async () => {
  const id = await newTask()
  const eventsBefore = (await readEvents(storage, team.workspace)).length
  const complete = { method: 'POST', url: `/api/v1/tasks/${id}/complete` }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => callApi(server, team.keys.owner, complete)),
  )
  assert.deepEqual(countOutcomes(replies.map(summarizeReply)), { '200': 50 })
  const newEvents = (await readEvents(storage, team.workspace)).slice(eventsBefore)
  assert.deepEqual(
    newEvents.map(({ type }) => type),
    ['task.completed'],
  )
})

test('events of two processes have a gapless sequence', async () => {
  const events = await readEvents(storage, team.workspace)
  assert.ok(events.length > 50)
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, at) => at + 1),
  )
})

/** Combines servers on ports of this machine into one that sends them requests in turn. */
function createRoundRobinServer(ports: readonly number[]): InjectableServer {
  let turn = 0
  return {
    async inject({ method, url, headers, payload = null }) {
      for (;;) {
        const port = ports[turn++ % ports.length]
        const reply = await fetch(`http://127.0.0.1:${port}${url}`, {
          method,
          headers,
          body: payload === null ? null : Buffer.from(payload).toString(),
        })
        const body = await reply.text()
        // On a busy machine a write may wait too long for its lock. It has no effect then.
        if (reply.status === 503) continue
        return { statusCode: reply.status, headers: Object.fromEntries(reply.headers), body }
      }
    },
  }
}
