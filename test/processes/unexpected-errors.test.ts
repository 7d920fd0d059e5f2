import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

for (const [signal, message] of [
  ['SIGUSR2', 'unforeseen rejection'],
  ['SIGHUP', 'unforeseen error'],
] as const) {
  test(`an ${message} is logged and ends the server, so that it can restart`, async (t) => {
    const dataDir = createTempDir()
    const server = await startServer(dataDir, {
      entry: 'test/support/server-variants/uncaught-errors.ts',
      env: { DOCKET_LOG_LEVEL: 'info' },
    })
    t.after(() => endServer(server, 'SIGKILL'))
    const ended = once(server.child, 'close')
    server.child.kill(signal)
    assert.deepEqual(await ended, [71, null])
    // Lines whose write had begun may come after it.
    const lines = server.readStderr().trim().split('\n')
    const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 60)
    assert.deepEqual(
      errors.map(({ err }) => err.message),
      [message],
    )
    assert.ok(existsSync(join(dataDir, 'running')), 'the next start looks at the database')
    const restarted = await startServer(dataDir)
    assert.equal(await endServer(restarted, 'SIGTERM'), 0)
  })
}
