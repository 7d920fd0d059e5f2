import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDocketForClients } from '#test/cli-client/client-machine.ts'
import { startMirror } from '#test/sdk/mirror-program.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { createScopedKey } from '#test/support/world/test-workspace.ts'

test('the example explains missing settings, and what is wrong with a key or a file', async (t) => {
  const { url: DOCKET_URL, storage, team } = await startDocketForClients()
  const narrow = await createScopedKey(storage, team, 'owner', ['webhooks:read'])
  const run = (env: Record<string, string>, ...words: string[]) => startMirror(t, env, ...words)
  const results = await Promise.all(
    [
      run({ DOCKET_KEY: 'dkt_wrong' }, 'mirror.json'),
      run({ DOCKET_URL, DOCKET_KEY: 'dkt_wrong' }),
      run({ DOCKET_URL, DOCKET_KEY: 'dkt_wrong' }, join(createTempDir(), 'mirror.json')),
      run({ DOCKET_URL, DOCKET_KEY: narrow }, join(createTempDir(), 'mirror.db')),
      run({ DOCKET_URL, DOCKET_KEY: narrow }, 'package.json'),
    ].map(({ ended }) => ended),
  )
  assert.deepEqual(
    results.map(({ code }) => code),
    [2, 2, 1, 1, 1],
  )
  const [noUrl, noPath, wrong, scope, other] = results.map(({ stderr }) => stderr)
  for (const usage of [noUrl, noPath]) assert.match(usage ?? '', /^Usage: /)
  assert.match(wrong ?? '', /invalid_token/)
  assert.match(scope ?? '', /insufficient_scope/)
  assert.match(other ?? '', /package\.json is no mirror\. Name another file\./)
})
