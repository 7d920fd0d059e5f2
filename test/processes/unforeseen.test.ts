import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newPlace, serve } from '../cli/run.ts'

for (const [signal, message] of [
  ['SIGUSR2', 'unforeseen rejection'],
  ['SIGHUP', 'unforeseen error'],
] as const) {
  test(`an ${message} is written down and ends the server, so that it starts anew`, async (t) => {
    const place = await newPlace()
    t.after(place.remove)
    const NODE_OPTIONS = '--import ./test/support/unforeseen.ts'
    const { child, ended } = await serve({ ...place.env, NODE_OPTIONS })
    t.after(() => child.kill('SIGKILL'))
    child.kill(signal)
    const { code, stderr } = await ended
    assert.equal(code, 71)
    const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    assert.deepEqual([last.level, last.err.message], [60, message])
    assert.ok(existsSync(join(place.dataDir, 'running')), 'the next start looks at the database')
    const heir = await serve(place.env)
    assert.equal(heir.serves, true)
    heir.child.kill('SIGTERM')
    assert.equal((await heir.ended).code, 0)
  })
}
