import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileKey } from '#files/files.ts'
import { openFiles } from '#files/open.ts'
import { deletePendingFiles, purgeOldOperations, sweepOrphanedFiles } from '#jobs/purges.ts'
import { newId } from '#lib/id.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { type S3Server, startS3Server } from '../support/services/s3.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'

const clock = createTestClock()
let store: S3Server
let docket: TestDocket
let team: TestWorkspace
let task: string

before(async () => {
  store = await startS3Server()
  docket = await openTestDocket('sqlite', store.env, { clock })
  team = await createTestWorkspace(docket.storage)
  const body = { project_id: team.project, title: 'T' }
  task = (
    await callApiForJson(docket.server, team.keys.owner, { method: 'POST', url: TASKS, body })
  ).id
})
after(() => store.end())

const TASKS = '/api/v1/tasks'
const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: Buffer, more = {}) =>
  docket.server.inject({
    method,
    url: `/api/v1${url}`,
    headers: { authorization: `Bearer ${team.keys.owner}`, ...more },
    ...(payload && { payload }),
  })
const attach = (bytes: Buffer) => send('POST', `/tasks/${task}/attachments?filename=a`, bytes)
const pathOf = (id: string) => store.pathOf(`${team.workspace}/${id}`)
const drafts = () => readdirSync(join(docket.config.dataDir, 'files/drafts'))

test('stores files in the bucket, reads ranges from it, and leaves nothing on the disk', async () => {
  const bytes = randomBytes(3_000_000)
  const reply = await attach(bytes)
  assert.equal(reply.statusCode, 201, reply.body)
  const { id } = reply.json()
  assert.ok(existsSync(pathOf(id)))
  assert.deepEqual(drafts(), [])
  assert.ok(!existsSync(join(docket.config.dataDir, 'files', team.workspace)))
  const whole = await send('GET', `/attachments/${id}/content`)
  assert.deepEqual(whole.rawPayload, bytes)
  const range = { range: 'bytes=1000000-1000009' }
  const part = await send('GET', `/attachments/${id}/content`, undefined, range)
  assert.equal(part.statusCode, 206)
  assert.deepEqual(part.rawPayload, bytes.subarray(1_000_000, 1_000_010))
  assert.equal((await send('DELETE', `/attachments/${id}`)).statusCode, 204)
  await purgeOldOperations(docket.storage, 0)()
  await deletePendingFiles(docket.storage, openFiles(docket.config))()
  assert.ok(!existsSync(pathOf(id)))
})

test('removes orphaned files from the bucket, and no others', async () => {
  const files = openFiles(docket.config)
  const { id: keptId } = (await attach(Buffer.from('kept'))).json()
  const draft = await files.draft()
  await draft.write(Buffer.from('left'))
  await draft.finish()
  const orphanKey = `${team.workspace}/${newId('att')}`
  const foreignKey = `${newId('wsp')}/${newId('att')}`
  await files.put(orphanKey, draft)
  await files.put(foreignKey, draft)
  await draft.discard()
  const sweep = async () => {
    const step = sweepOrphanedFiles(docket.storage, files)
    while (await step());
  }
  await sweep()
  assert.ok(existsSync(store.pathOf(orphanKey)), 'it may be of an upload under way')
  clock.advance(4 * 60 * 60 * 1000)
  await sweep()
  assert.ok(!existsSync(store.pathOf(orphanKey)))
  assert.ok(existsSync(store.pathOf(foreignKey)) && existsSync(pathOf(keptId)))
  await files.remove(foreignKey)
})

test('clearing a workspace removes all of its files from the bucket, and no others', async () => {
  const files = openFiles(docket.config)
  const [gone, stays] = [newId('wsp'), newId('wsp')]
  const newKey = (workspace: string) => fileKey(workspace, newId('att'))
  const keys = [newKey(gone), newKey(gone), newKey(stays)]
  for (const key of keys) {
    const draft = await files.draft()
    await draft.write(Buffer.from('Left over'))
    await draft.finish()
    await files.put(key, draft)
    await draft.discard()
  }
  const existing = () => keys.map((key) => existsSync(store.pathOf(key)))
  assert.deepEqual(existing(), [true, true, true])
  await files.clear(gone)
  assert.deepEqual(existing(), [false, false, true])
  await files.clear(gone)
  assert.deepEqual(existing(), [false, false, true])
})

test('lists more files than one page of ListObjects', async () => {
  const files = openFiles(docket.config)
  const draft = await files.draft()
  await draft.write(Buffer.from('x'))
  await draft.finish()
  const workspace = newId('wsp')
  const keys = Array.from({ length: 1_005 }, () => `${workspace}/${newId('att')}`)
  // The first one creates the folder in which the bucket has them.
  for (const [at, key] of keys.entries()) {
    if (at === 0) await files.put(key, draft)
    else writeFileSync(store.pathOf(key), 'x')
  }
  const found: string[] = []
  for await (const { key } of files.list()) if (key.startsWith(workspace)) found.push(key)
  assert.deepEqual(found.toSorted(), keys.toSorted())
  await draft.discard()
})

test('a damaged file or an unavailable bucket gets 503, and no row is left without its file', async () => {
  const { id } = (await attach(Buffer.from('Hello'))).json()
  truncateSync(pathOf(id), 2)
  assert.equal((await send('GET', `/attachments/${id}/content`)).statusCode, 503)
  const wrongBucket = { ...store.env, DOCKET_S3_BUCKET: 'nowhere-at-all' }
  const refused = await openTestDocket('sqlite', wrongBucket)
  const other = await createTestWorkspace(refused.storage)
  const headers = { authorization: `Bearer ${other.keys.owner}` }
  const body = { project_id: other.project, title: 'T' }
  const taskRequest = { method: 'POST', url: TASKS, body }
  const otherTask = (await callApiForJson(refused.server, other.keys.owner, taskRequest)).id
  const url = `${TASKS}/${otherTask}/attachments`
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
