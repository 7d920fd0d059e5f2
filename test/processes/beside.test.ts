import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerOf } from '../cli/run.ts'
import { wrongWith } from '../experiments/check.ts'
import type { Asked } from '../experiments/load.ts'
import { stubbornWriters } from '../experiments/stubborn.ts'
import { emptyDir } from '../support/dir.ts'
import { end, SECRET, settle, start } from '../support/process.ts'

test('the command line writes beside a server under load, and neither fails', async () => {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const server = await start(dataDir)
  const log: Asked[] = []
  const load = stubbornWriters(server.port, home, 16, log)
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, DOCKET_DEMO: '0' }
  const key = ['key', 'create', '--workspace', home.workspace, '--user', home.people.member]
  for (let times = 0; times < 2; times++) {
    const { api_key } = await answerOf(env, ...key, '--scopes', 'full')
    const headers = { authorization: `Bearer ${api_key}` }
    const reply = await fetch(`http://127.0.0.1:${server.port}/api/v1/me`, { headers })
    assert.equal(reply.status, 200)
  }
  assert.deepEqual(await load.stop(), [])
  assert.equal(load.refused, 0)
  assert.ok(load.acked > 100, `${load.acked} writes`)
  await end(server, 'SIGTERM')
  assert.deepEqual(wrongWith(join(dataDir, 'docket.db'), log), [])
})
