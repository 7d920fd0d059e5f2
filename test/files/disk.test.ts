import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { conflict, unavailable } from '#core/refusal.ts'
import { httpServer } from '#http/server.ts'
import { app, routes } from '../../src/app.ts'
import { made } from '../experiments/world/call.ts'
import { docketOn, log, SECRET, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { portOf } from '../support/socket.ts'

const BYTES = Buffer.alloc(400_000, 'Hello ')
let docket: Served
let home: Home
let uploads: string
let origin: string

before(async () => {
  docket = await docketOn('sqlite')
  home = await newHome(docket.storage)
  const body = { project_id: home.project, title: 'T' }
  const asking = { method: 'POST', url: '/api/v1/tasks', body }
  const { id } = await made(docket.server, home.keys.owner, asking)
  uploads = `/api/v1/tasks/${id}/attachments?filename=a`
  origin = `http://127.0.0.1:${await portOf(docket.server)}`
})

const headers = (more = {}) => ({ authorization: `Bearer ${home.keys.owner}`, ...more })
const directory = () => join(docket.config.dataDir, 'files', home.workspace)
const contentOf = (id: string, more = {}) =>
  fetch(`${origin}/api/v1/attachments/${id}/content`, { headers: headers(more) })

async function attach(more = {}): Promise<string> {
  const sent = { method: 'POST', headers: headers(more), body: BYTES }
  const reply = await fetch(origin + uploads, sent)
  assert.equal(reply.status, 201)
  return ((await reply.json()) as { id: string }).id
}

test('a file that is gone or cut is 503, and the server goes on', async () => {
  const [gone, cut, sound] = [await attach(), await attach(), await attach()]
  rmSync(join(directory(), gone))
  truncateSync(join(directory(), cut), 399_999)
  assert.equal((await contentOf(gone)).status, 503)
  assert.equal((await contentOf(cut)).status, 503)
  const whole = await contentOf(sound)
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), BYTES)
})

test('a file that has rotted is never handed out as whole', async () => {
  const id = await attach()
  const path = join(directory(), id)
  const bytes = readFileSync(path)
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1
  writeFileSync(path, bytes)
  const reply = await contentOf(id)
  assert.equal(reply.status, 200)
  await assert.rejects(reply.arrayBuffer())
})

test('a repeated upload leaves one file, and a reader who goes away none open', async () => {
  const before = readdirSync(directory()).length
  const key = { 'idempotency-key': 'once' }
  const first = await attach(key)
  assert.equal(await attach(key), first)
  assert.equal(readdirSync(directory()).length, before + 1)
  const open = () => readdirSync('/dev/fd').length
  const held = open()
  for (let times = 0; times < 20; times += 1) {
    const reply = await contentOf(first)
    await reply.body?.cancel()
  }
  for (let tries = 0; open() > held + 10 && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.ok(open() <= held + 10, `${open()} open, ${held} before`)
})

/** Attaches where the operation ends so, after the file was put in its place. */
async function attachWhere(error: Error): Promise<number> {
  const { house } = await app(docket.storage, docket.config, SECRET, log)
  house.registry.clear()
  const failing = routes.map((route) =>
    route.endpoint.upload ? { ...route, operation: () => Promise.reject(error) } : route,
  )
  const server = httpServer(house, failing)
  const upload = { method: 'POST', url: uploads, headers: headers(), payload: 'Hello' } as const
  return (await server.inject(upload)).statusCode
}

test('of an upload that is refused in the end no file is left, unless its row may be there', async () => {
  const count = () => readdirSync(directory()).length
  const before = count()
  assert.equal(await attachWhere(conflict('limit_reached', 'It is full.')), 409)
  assert.equal(count(), before)
  assert.equal(await attachWhere(unavailable('The outcome is unknown.')), 503)
  assert.equal(count(), before + 1)
})
