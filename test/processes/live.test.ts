import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { openLive } from '../support/live.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { sessionOf } from '../support/session.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'docket-live-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

test('a server that is told to stop does not wait for those who look on', async () => {
  const home = await settle(dataDir)
  const { storage } = await openStore(
    configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET }),
  )
  const { headers } = await sessionOf(storage, home, 'member')
  await storage.close()
  const server = await start(dataDir)
  const lives = await Promise.all([1, 2, 3].map(() => openLive(server.port, headers)))
  assert.deepEqual(
    lives.map(({ reply }) => reply.statusCode),
    [200, 200, 200],
  )
  // Who is waited for is cut off in the end, and then has not heard when to come again.
  assert.equal(await end(server, 'SIGTERM'), 0)
  for (const { text } of lives) assert.match(text(), /\nretry: \d{4}\n\n$/)
})
