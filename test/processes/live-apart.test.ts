import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { emptyDir } from '../support/dir.ts'
import { docketOn } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Live, openLive } from '../support/live.ts'
import { end, type Running, start } from '../support/process.ts'
import { RECEIVED_SECRET, receiver } from '../support/receiver.ts'
import { sessionOf } from '../support/session.ts'
import { migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

/** Every half minute a server writes down which keys were used, and finds by that what there is to send. */
const BEFORE_OTHERS_MS = 10_000
/** Writes at both servers, and how many of them at once. */
const [MANY, AT_ONCE] = [600, 16]

let admin: pg.Client
let home: Home
let headers: Record<string, string>
const running: Running[] = []
const lives: Live[] = []
const [A, B, DEAF] = [0, 1, 2]

before(async () => {
  const database = await migratedDatabase()
  admin = database.admin
  const env = { DOCKET_DATABASE_URL: database.url }
  const { storage } = await docketOn('postgres', env)
  home = await newHome(storage)
  headers = (await sessionOf(storage, home, 'owner')).headers
  const deaf = { ...env, DOCKET_DATABASE_LISTEN_URL: 'postgres://127.0.0.1:9/nothing' }
  // What they send they are told of: they do not look for it.
  const entry = 'test/support/never-looking.ts'
  running.push(
    ...(await Promise.all([env, env, deaf].map((one) => start(emptyDir(), { env: one, entry })))),
  )
  for (const at of [A, B]) await until('a link', () => linked(at))
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

/** Waits until a live connection has heard of a record. */
const hears = (live: Live, id: string) => until(live.text, () => idsIn(live).includes(id))

const resets = (live: Live) => events(live).filter((event) => event === 'reset').length

test('who looks on at one server is told of each write at another', async () => {
  const live = await look(B)
  for (let count = 1; count <= 5; count += 1) await hears(live, await write(A))
  // What has no event is told as well.
  const id = await write(A, `tasks/${idsIn(live)[0]}/time-entries`, { duration_seconds: 60 })
  await hears(live, id)
  // Where it is found out and not told, everything is to be read anew.
  assert.deepEqual(new Set(events(live)), new Set(['notice']))
})

test('who is cut off goes on at another server, and misses nothing', async () => {
  const before = await look(B)
  const known = await write(A)
  await hears(before, known)
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

test('of many writes at both servers none is missed, and their order is kept', async () => {
  const [here, there] = [await look(A), await look(B)]
  const written: string[] = []
  let left = MANY
  const writing = async (_: unknown, at: number) => {
    for (; left > 0; left -= 1) written.push(await write(at % 2 === 0 ? A : B))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, writing))
  for (const live of [here, there]) {
    await until(live.text, () => live.heard.length >= written.length)
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
})

test('when the connection by which a server hears is cut, it reads anew, and hears again', async () => {
  const live = await look(B)
  const cut =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'docket-channel'"
  await admin.query(`${cut} and datname = current_database()`)
  const id = await write(A)
  await until(live.text, () => idsIn(live).includes(id) || resets(live) > 0)
  for (const at of [A, B]) await until('a link', () => linked(at))
  await hears(live, await write(A))
})

test('servers that do not hear each other find out that something was written', async () => {
  const [deaf, live] = [await look(DEAF), await look(A)]
  assert.match(await figures(DEAF), /^docket_notices_linked 0$/m)
  const own = await write(DEAF)
  await hears(deaf, own)
  await until(live.text, () => resets(live) > 0)
  assert.ok(!idsIn(live).includes(own))
  await write(A)
  await until(deaf.text, () => resets(deaf) > 0)
  // What comes after one that it has missed is told when that is found out.
  const before = resets(deaf)
  await Promise.all([write(A), write(DEAF)])
  await until(deaf.text, () => resets(deaf) > before)
  await hears(deaf, await write(DEAF))
  assert.match(await figures(DEAF), /^docket_notices_resets_total [1-9]/m)
})

test('a delivery begins when another server than its sender writes, which tells it', async (t) => {
  // It would not hear of it, if it were the sender.
  for (const server of running.splice(DEAF)) await end(server, 'SIGTERM')
  const there = await receiver()
  t.after(() => there.close())
  const hook = { url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }
  await write(A, 'webhooks', hook)
  await write(A)
  await until('the first', () => there.arrivals.length === 1)
  // One of them sends, and is told by the others.
  for (const at of [A, B, A, B, A, B, A, B]) {
    const before = there.arrivals.length
    await write(at)
    await until('a delivery', () => there.arrivals.length > before, BEFORE_OTHERS_MS)
  }
})
