import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestSession } from '../support/world/test-session.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'docket-live-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

test('a stop does not wait for live connections and tells clients to reconnect', async () => {
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
