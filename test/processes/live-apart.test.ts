import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { emptyDir } from '../support/dir.ts'
import { docketOn } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Live, openLive } from '../support/live.ts'
import { end, type Running, start } from '../support/process.ts'
import { RECEIVED_SECRET, receiver } from '../support/receiver.ts'
import { sessionOf } from '../support/session.ts'
import { emptyDatabase } from '../support/store.ts'

/** Who looks on at one server is told so soon of what is written at another. */
const TOLD_MS = 300
/** And where servers do not hear each other, it reads anew so soon. */
const FOUND_OUT_MS = 1_500

let admin: pg.Client
let home: Home
let headers: Record<string, string>
const running: Running[] = []
const lives: Live[] = []
const [A, B, DEAF] = [0, 1, 2]

before(async () => {
  const database = await emptyDatabase()
  admin = database.admin
  const env = { DOCKET_DATABASE_URL: database.url }
  const { storage } = await docketOn('postgres', env)
  home = await newHome(storage)
  headers = (await sessionOf(storage, home, 'owner')).headers
  const deaf = { ...env, DOCKET_DATABASE_LISTEN_URL: 'postgres://127.0.0.1:9/nothing' }
  running.push(
    ...(await Promise.all([env, env, deaf].map((one) => start(emptyDir(), { env: one })))),
  )
  for (const at of [A, B]) await until(() => linked(at), 2_000)
})
after(async () => {
  for (const live of lives) live.close()
  await Promise.all(running.map((server) => end(server, 'SIGKILL')))
})

const portOf = (at: number) => running[at]?.port ?? 0

async function look(at: number, last?: string): Promise<Live> {
  const live = await openLive(portOf(at), headers, last === undefined ? {} : { after: last })
  assert.equal(live.reply.statusCode, 200)
  lives.push(live)
  return live
}

async function write(at: number, path = 'tasks', body: object = task(home)): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${portOf(at)}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const record = (await reply.json()) as { id: string }
  assert.equal(reply.status, 201, JSON.stringify(record))
  return record.id
}

const task = ({ project }: Home) => ({ project_id: project, title: 'Ship it' })

const events = ({ heard }: Live) => heard.map(({ event }) => event)
const idsIn = ({ heard }: Live) => heard.map(({ notice }) => notice.id)
const linked = async (at: number) => /^docket_notices_linked 1$/m.test(await figures(at))

async function figures(at: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${portOf(at)}/metrics`)).text()
}

/** Waits until it is so; gives the milliseconds that it took. */
async function until(done: () => boolean | Promise<boolean>, patience: number): Promise<number> {
  const from = performance.now()
  while (!(await done())) {
    assert.ok(performance.now() - from < patience, `not within ${patience} ms`)
    await pause(2)
  }
  return performance.now() - from
}

test('who looks on at one server is told at once of what is written at another', async () => {
  const live = await look(B)
  const waits: number[] = []
  for (let count = 1; count <= 5; count += 1) {
    const id = await write(A)
    waits.push(await until(() => idsIn(live).includes(id), FOUND_OUT_MS))
  }
  const median = waits.toSorted((one, other) => one - other)[2] ?? 0
  assert.ok(median < TOLD_MS, `${Math.round(median)} ms`)
  // What has no event is told as well.
  const id = await write(A, `tasks/${idsIn(live)[0]}/time-entries`, { duration_seconds: 60 })
  await until(() => idsIn(live).includes(id), TOLD_MS)
  assert.deepEqual(new Set(events(live)), new Set(['notice']))
})

test('who is cut off goes on at another server, and misses nothing', async () => {
  const before = await look(B)
  const known = await write(A)
  await until(() => idsIn(before).includes(known), FOUND_OUT_MS)
  before.close()
  const missed = [await write(A), await write(B), await write(A)]
  const again = await look(A, before.lastId())
  await again.until(3)
  assert.deepEqual(idsIn(again), missed)
  const back = await look(B, before.lastId())
  await back.until(3)
  assert.deepEqual(
    back.heard.map(({ id }) => id),
    again.heard.map(({ id }) => id),
  )
})

test('of five hundred writes a second at both servers none is missed, and their order is kept', async (t) => {
  const [here, there] = [await look(A), await look(B)]
  const from = performance.now()
  const written = await Promise.all(
    Array.from({ length: 1_500 }, async (_, at) => {
      await pause(2 * at)
      return write(at % 2 === 0 ? A : B)
    }),
  )
  const ms = performance.now() - from
  for (const live of [here, there]) {
    await until(() => live.heard.length >= written.length, 3_000)
    assert.deepEqual(new Set(events(live)), new Set(['notice']))
    assert.deepEqual(new Set(idsIn(live)), new Set(written))
    const first = live.heard[0]?.notice.seq ?? 0
    const seqs = live.heard.map(({ notice }) => notice.seq)
    assert.deepEqual(
      seqs,
      Array.from(written, (_, at) => first + at),
    )
  }
  assert.deepEqual(idsIn(here), idsIn(there))
  t.diagnostic(`${Math.round((written.length / ms) * 1_000)} writes a second`)
})

test('when the connection by which a server hears is cut, it reads anew, and hears again', async () => {
  const live = await look(B)
  const cut =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'docket-channel'"
  await admin.query(`${cut} and datname = current_database()`)
  const id = await write(A)
  await until(() => idsIn(live).includes(id) || events(live).includes('reset'), FOUND_OUT_MS)
  for (const at of [A, B]) await until(() => linked(at), 3_000)
  const after = await write(A)
  await until(() => idsIn(live).includes(after), TOLD_MS)
})

test('servers that do not hear each other find out that something was written', async () => {
  const [deaf, live] = [await look(DEAF), await look(A)]
  assert.match(await figures(DEAF), /^docket_notices_linked 0$/m)
  const own = await write(DEAF)
  await until(() => idsIn(deaf).includes(own), TOLD_MS)
  await until(() => events(live).includes('reset'), FOUND_OUT_MS)
  assert.ok(!idsIn(live).includes(own))
  await write(A)
  await until(() => events(deaf).includes('reset'), FOUND_OUT_MS)
  // What comes after one that it has missed is told when that is found out.
  await Promise.all([write(A), write(DEAF)])
  await pause(FOUND_OUT_MS)
  const last = await write(DEAF)
  await until(() => idsIn(deaf).includes(last), TOLD_MS)
  await until(async () => /^docket_notices_resets_total [1-9]/m.test(await figures(DEAF)), 100)
})

test('a delivery begins at once when another server than its sender writes', async (t) => {
  // It would not hear of it, if it were the sender.
  for (const server of running.splice(DEAF)) await end(server, 'SIGTERM')
  const there = await receiver()
  t.after(() => there.close())
  const hook = { url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }
  await write(A, 'webhooks', hook)
  await write(A)
  await until(() => there.arrivals.length === 1, 3_000)
  const waits: number[] = []
  // One of them sends, and is told by the others.
  for (const at of [A, B, A, B, A, B]) {
    const before = there.arrivals.length
    await write(at)
    waits.push(await until(() => there.arrivals.length > before, 3_000))
    // Not in step with the looks that it takes by itself.
    await pause(130 + Math.random() * 200)
  }
  const late = waits.filter((ms) => ms > 200)
  assert.ok(late.length <= 1, `${waits.map(Math.round)} ms`)
})
