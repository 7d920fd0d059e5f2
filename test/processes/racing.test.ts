import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Storage } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { faultsOfRace } from '../experiments/idempotency.ts'
import { countOff } from '../experiments/numbers.ts'
import { asking, count, tally } from '../experiments/races.ts'
import { call, made, outcomeOf, type Server } from '../experiments/world/call.ts'
import { scaled } from '../experiments/world/size.ts'
import { spread } from '../experiments/world/spread.ts'
import { emptyDir } from '../support/dir.ts'
import { type Home, newHome } from '../support/home.ts'
import { end, SECRET, start } from '../support/process.ts'
import { eventsOf } from '../support/scenario.ts'
import { atEnd, closing, migratedDatabase } from '../support/store.ts'

/** E10, E11, E12 and C5 where those who race ask four processes on one PostgreSQL. */
const PROCESSES = 4

let storage: Storage
let server: Server
let home: Home

before(async () => {
  const env = { DOCKET_DATABASE_URL: (await migratedDatabase()).url, DOCKET_SECRET: SECRET }
  const opened = await openStore(configFrom({ ...env, DOCKET_DATA_DIR: emptyDir() }))
  storage = closing(opened.storage)
  const dirs = Array.from({ length: PROCESSES }, emptyDir)
  const running = await Promise.all(dirs.map((dir) => start(dir, { env, part: 'serve' })))
  atEnd(() => Promise.all(running.map((one) => end(one, 'SIGKILL'))))
  server = spread(running.map(({ port }) => port))
  home = await newHome(storage)
})

const newTask = async () => {
  const body = { project_id: home.project, title: 'Task' }
  const { owner } = home.keys
  return (await made(server, owner, { method: 'POST', url: '/api/v1/tasks', body })).id
}

test('four processes count 1, 2, 3 without gaps, and old short ids resolve', async () => {
  assert.deepEqual(await countOff({ storage, server }, scaled(2)), [])
})

test('a hundred who race under one key through four processes have one effect and one answer', async () => {
  for (let round = 0; round < scaled(3); round += 1) {
    assert.deepEqual(await faultsOfRace({ storage, server }, home, 100), [])
  }
})

test('no increment under If-Match is lost between four processes', async () => {
  const { is, ought } = await count(asking(server, home.keys.owner), await newTask(), 8, scaled(6))
  assert.deepEqual(is, ought)
})

test('fifty completions through four processes are one completion', async () => {
  const id = await newTask()
  const seen = (await eventsOf(storage, home.workspace)).length
  const complete = { method: 'POST', url: `/api/v1/tasks/${id}/complete` }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => call(server, home.keys.owner, complete)),
  )
  assert.deepEqual(tally(replies.map(outcomeOf)), { '200': 50 })
  const told = (await eventsOf(storage, home.workspace)).slice(seen)
  assert.deepEqual(
    told.map(({ type }) => type),
    ['task.completed'],
  )
})

test('what four processes told of is numbered without a gap', async () => {
  const events = await eventsOf(storage, home.workspace)
  assert.ok(events.length > 50)
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, at) => at + 1),
  )
})
