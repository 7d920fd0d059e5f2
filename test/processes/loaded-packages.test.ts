import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEnd } from '../support/engines/test-database.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

/** What only some installations use, and what only some requests need. */
const OPTIONAL_PACKAGES =
  /^(oidc-provider|openid-client|oauth4webapi|jose|aws4fetch|nodemailer|@simplewebauthn\/.*|csv-parse|yauzl|uqr|pg|undici.*|mdast-.*|micromark.*)$/

test('a server loads optional packages only when they are needed', async () => {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const entry = 'test/support/server-variants/listed-packages.ts'
  const running = await startServer(dataDir, { entry })
  atEnd(() => endServer(running, 'SIGKILL'))
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  assert.equal((await fetch(`http://127.0.0.1:${running.port}/api/v1/me`, { headers })).status, 200)
  running.child.kill('SIGUSR2')
  await waitUntil('which are loaded', async () => /loaded: .*\n/.test(running.readStderr()))
  const loaded: string[] = JSON.parse(/loaded: (.*)\n/.exec(running.readStderr())?.[1] ?? '')
  assert.ok(loaded.includes('kysely'), 'packages are listed')
  assert.deepEqual(
    loaded.filter((name) => OPTIONAL_PACKAGES.test(name)),
    [],
  )
})
