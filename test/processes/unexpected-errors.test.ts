import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newInstallation, spawnServer } from '../cli/run-cli.ts'

for (const [signal, message] of [
  ['SIGUSR2', 'unforeseen rejection'],
  ['SIGHUP', 'unforeseen error'],
] as const) {
  test(`an ${message} is logged and ends the server, so that it can restart`, async (t) => {
    const place = await newInstallation()
    t.after(place.remove)
    const NODE_OPTIONS = '--import ./test/support/server-variants/uncaught-errors.ts'
    const { child, ended } = await spawnServer({ ...place.env, NODE_OPTIONS })
    t.after(() => child.kill('SIGKILL'))
    child.kill(signal)
    const { code, stderr } = await ended
    assert.equal(code, 71)
    const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    assert.deepEqual([last.level, last.err.message], [60, message])
    assert.ok(existsSync(join(place.dataDir, 'running')), 'the next start looks at the database')
    const restarted = await spawnServer(place.env)
    assert.equal(restarted.serves, true)
    restarted.child.kill('SIGTERM')
    assert.equal((await restarted.ended).code, 0)
  })
}
