import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import {
  endServer,
  isServerReady,
  seedDataDir,
  startServer,
} from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { stopUnderLoad } from './drain.ts'

const UPLOAD_BYTES = 5_000_000

test('a stop by SIGTERM under load fails no request and exits with 0', async () => {
  const { sent, failed, exits } = await stopUnderLoad(1)
  assert.deepEqual(failed, [])
  assert.deepEqual(exits, [0])
  assert.ok(sent > 30, `${sent} requests`)
})

test('a stop does not wait for live connections and tells clients to reconnect', async () => {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const { storage } = await openStore(
    parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }),
  )
  const { headers } = await createTestSession(storage, team, 'member')
  await storage.close()
  const server = await startServer(dataDir)
  const connections = await Promise.all([1, 2, 3].map(() => openLiveStream(server.port, headers)))
  assert.deepEqual(
    connections.map(({ reply }) => reply.statusCode),
    [200, 200, 200],
  )
  // A connection that is only cut at the end would lack the `retry` field.
  assert.equal(await endServer(server, 'SIGTERM'), 0)
  for (const { text } of connections) assert.match(text(), /\nretry: \d{4}\n\n$/)
})

test('a stop lets an upload finish, and a cut upload leaves nothing', async () => {
  const dataDir = createTempDir()
  const { keys, project, workspace } = await seedDataDir(dataDir)
  const server = await startServer(dataDir)
  const headers = { authorization: `Bearer ${keys.owner}` }
  const made = await fetch(`http://127.0.0.1:${server.port}/api/v1/tasks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: project, title: 'T' }),
  })
  const { id } = (await made.json()) as { id: string }
  const startUpload = () => {
    const path = `/api/v1/tasks/${id}/attachments?filename=a`
    const to = { host: '127.0.0.1', port: server.port, path, method: 'POST' }
    const upload = request({ ...to, headers: { ...headers, 'content-length': UPLOAD_BYTES } })
    upload.write(Buffer.alloc(2_000_000))
    return upload
  }
  const [whole, cut] = [startUpload(), startUpload()]
  cut.on('error', () => {})
  const drafts = join(dataDir, 'files/drafts')
  await waitUntil('both drafts', () => existsSync(drafts) && readdirSync(drafts).length === 2)
  const ended = endServer(server, 'SIGTERM')
  await waitUntil('no more connections', async () => !(await isServerReady(server.port)))
  cut.destroy()
  const status = new Promise((resolve) =>
    whole.once('response', (reply) => resolve(reply.resume().statusCode)),
  )
  whole.end(Buffer.alloc(UPLOAD_BYTES - 2_000_000))
  assert.equal(await status, 201)
  assert.equal(await ended, 0)
  assert.equal(readdirSync(join(dataDir, 'files', workspace)).length, 1)
  assert.deepEqual(readdirSync(drafts), [])
})
