import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { keyOf } from '#files/files.ts'
import { openFiles } from '#files/open.ts'
import { newId } from '#lib/id.ts'
import { removeDoomed, sweepOrphans } from '#upkeep/files.ts'
import { made } from '../experiments/world/call.ts'
import { createTestClock } from '../support/clock.ts'
import { docketOn, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Store, startS3 } from '../support/s3.ts'

const clock = createTestClock()
let store: Store
let docket: Served
let home: Home
let task: string

before(async () => {
  store = await startS3()
  docket = await docketOn('sqlite', store.env, { clock })
  home = await newHome(docket.storage)
  const body = { project_id: home.project, title: 'T' }
  task = (await made(docket.server, home.keys.owner, { method: 'POST', url: TASKS, body })).id
})
after(() => store.end())

const TASKS = '/api/v1/tasks'
const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: Buffer, more = {}) =>
  docket.server.inject({
    method,
    url: `/api/v1${url}`,
    headers: { authorization: `Bearer ${home.keys.owner}`, ...more },
    ...(payload && { payload }),
  })
const attach = (bytes: Buffer) => send('POST', `/tasks/${task}/attachments?filename=a`, bytes)
const pathOf = (id: string) => store.pathOf(`${home.workspace}/${id}`)
const drafts = () => readdirSync(join(docket.config.dataDir, 'files/drafts'))

test('files are kept in a bucket, read from it, and nothing of them is left on the disk', async () => {
  const bytes = randomBytes(3_000_000)
  const reply = await attach(bytes)
  assert.equal(reply.statusCode, 201, reply.body)
  const { id } = reply.json()
  assert.ok(existsSync(pathOf(id)))
  assert.deepEqual(drafts(), [])
  assert.ok(!existsSync(join(docket.config.dataDir, 'files', home.workspace)))
  const whole = await send('GET', `/attachments/${id}/content`)
  assert.deepEqual(whole.rawPayload, bytes)
  const range = { range: 'bytes=1000000-1000009' }
  const part = await send('GET', `/attachments/${id}/content`, undefined, range)
  assert.equal(part.statusCode, 206)
  assert.deepEqual(part.rawPayload, bytes.subarray(1_000_000, 1_000_010))
  assert.equal((await send('DELETE', `/attachments/${id}`)).statusCode, 204)
  await removeDoomed(docket.storage, openFiles(docket.config))()
  assert.ok(!existsSync(pathOf(id)))
})

test('files that got no row are swept from the bucket, and others stay', async () => {
  const files = openFiles(docket.config)
  const { id: kept } = (await attach(Buffer.from('kept'))).json()
  const draft = await files.draft()
  await draft.write(Buffer.from('left'))
  await draft.finish()
  const orphan = `${home.workspace}/${newId('att')}`
  const strange = `${newId('wsp')}/${newId('att')}`
  await files.put(orphan, draft)
  await files.put(strange, draft)
  await draft.discard()
  const sweep = async () => {
    const step = sweepOrphans(docket.storage, files)
    while (await step());
  }
  await sweep()
  assert.ok(existsSync(store.pathOf(orphan)), 'it may be of an upload under way')
  clock.advance(4 * 60 * 60 * 1000)
  await sweep()
  assert.ok(!existsSync(store.pathOf(orphan)))
  assert.ok(existsSync(store.pathOf(strange)) && existsSync(pathOf(kept)))
  await files.remove(strange)
})

test('whatever lies in a bucket for a workspace that goes is taken away, and nothing else', async () => {
  const files = openFiles(docket.config)
  const [gone, stays] = [newId('wsp'), newId('wsp')]
  const keyed = (workspace: string) => keyOf(workspace, newId('att'))
  const keys = [keyed(gone), keyed(gone), keyed(stays)]
  for (const key of keys) {
    const draft = await files.draft()
    await draft.write(Buffer.from('Left over'))
    await draft.finish()
    await files.put(key, draft)
    await draft.discard()
  }
  const there = () => keys.map((key) => existsSync(store.pathOf(key)))
  assert.deepEqual(there(), [true, true, true])
  await files.clear(gone)
  assert.deepEqual(there(), [false, false, true])
  await files.clear(gone)
  assert.deepEqual(there(), [false, false, true])
})

test('more files than a page of a list holds are all found', async () => {
  const files = openFiles(docket.config)
  const draft = await files.draft()
  await draft.write(Buffer.from('x'))
  await draft.finish()
  const workspace = newId('wsp')
  const keys = Array.from({ length: 1_005 }, () => `${workspace}/${newId('att')}`)
  for (let from = 0; from < keys.length; from += 15) {
    await Promise.all(keys.slice(from, from + 15).map((key) => files.put(key, draft)))
  }
  const found: string[] = []
  for await (const { key } of files.list()) if (key.startsWith(workspace)) found.push(key)
  assert.deepEqual(found.toSorted(), keys.toSorted())
  await draft.discard()
})

test('a file that is damaged or gone, or a store that is away, is 503, and a row is never without its file', async () => {
  const { id } = (await attach(Buffer.from('Hello'))).json()
  truncateSync(pathOf(id), 2)
  assert.equal((await send('GET', `/attachments/${id}/content`)).statusCode, 503)
  const foreign = { ...store.env, DOCKET_S3_BUCKET: 'nowhere-at-all' }
  const refused = await docketOn('sqlite', foreign)
  const other = await newHome(refused.storage)
  const headers = { authorization: `Bearer ${other.keys.owner}` }
  const body = { project_id: other.project, title: 'T' }
  const asking = { method: 'POST', url: TASKS, body }
  const its = (await made(refused.server, other.keys.owner, asking)).id
  const url = `${TASKS}/${its}/attachments`
  const upload = () =>
    refused.server.inject({ method: 'POST', url: `${url}?filename=a`, headers, payload: 'Hello' })
  assert.equal((await upload()).statusCode, 503)
  await store.end()
  assert.equal((await upload()).statusCode, 503)
  assert.equal((await attach(Buffer.from('Hello'))).statusCode, 503)
  assert.equal((await send('GET', `/attachments/${id}/content`)).statusCode, 503)
  assert.deepEqual((await refused.server.inject({ url, headers })).json().data, [])
  assert.deepEqual(drafts(), [])
  assert.equal((await send('GET', `/tasks/${task}`)).json().attachment_count, 2)
})
