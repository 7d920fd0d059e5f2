import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCliJson } from '../cli/run-cli.ts'
import { startBalancedLoad } from '../support/load/balanced-load.ts'
import { endServer, seedDataDir, startServer } from '../support/server/server-process.ts'
import { readWorkspaceContent } from '../support/server/write-load.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'

test('the command line and a server under load write to one database without failures', async () => {
  const dataDir = createTempDir()
  const team = await seedDataDir(dataDir)
  const server = await startServer(dataDir)
  const load = startBalancedLoad([server.port], team, 16, true)
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, DOCKET_DEMO: '0' }
  const key = ['key', 'create', '--workspace', team.workspace, '--user', team.people.member]
  for (let times = 0; times < 2; times++) {
    const { api_key } = await runCliJson(env, ...key, '--scopes', 'full')
    const headers = { authorization: `Bearer ${api_key}` }
    const reply = await fetch(`http://127.0.0.1:${server.port}/api/v1/me`, { headers })
    assert.equal(reply.status, 200)
  }
  await waitUntil('many writes', () => load.acked.length > 100)
  await load.stop()
  assert.deepEqual([...load.failed], [])
  await endServer(server, 'SIGTERM')
  const { tasks } = await readWorkspaceContent(env, team)
  assert.deepEqual(tasks, load.acked.toSorted())
})
