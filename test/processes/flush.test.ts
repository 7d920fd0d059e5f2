import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { wrongWith } from '../experiments/check.ts'
import { type Asked, create } from '../experiments/load.ts'
import { emptyDir } from '../support/dir.ts'
import { end, settle, start } from '../support/process.ts'
import { until } from '../support/until.ts'

/** E04: ten writes at once on a disk that refuses to flush, which may keep what it was given or not. */
async function onFailingDisk(outcome: 'kept' | 'lost' | 'overlooked') {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const NODE_OPTIONS = '--import ./test/support/failing-flush.ts'
  const server = await start(dataDir, { env: { NODE_OPTIONS, TEST_FLUSH: outcome } })
  const agent = new Agent({ keepAlive: true })
  const log: Asked[] = Array.from({ length: 12 }, (_, at) => {
    return { key: `flush-${at}`, title: `Flush ${at}`, sentAt: process.hrtime.bigint() }
  })
  const asking = (asked: Asked) =>
    create(agent, server.port, home, asked).then(
      () => 'done',
      (error) => String(error).slice(0, 10),
    )
  for (const one of log.slice(0, 2)) assert.equal(await asking(one), 'done')
  const ended = once(server.child, 'exit')
  server.child.kill('SIGUSR2')
  await until('a disk that fails', () => server.said().includes('fails from now on'))
  const answers = await Promise.all(log.slice(2).map(asking))
  agent.destroy()
  const refusals = () => server.said().split('refused').length - 1
  return { dataDir, home, server, log, ended, answers, refusals }
}

for (const outcome of ['kept', 'lost'] as const) {
  test(`after a flush that failed nothing is tried again but by a new start (${outcome})`, async () => {
    const { dataDir, home, log, ended, answers, refusals } = await onFailingDisk(outcome)
    assert.deepEqual(new Set(answers), new Set(['Error: 503']))
    assert.deepEqual(await ended, [71, null], 'it ends by itself')
    assert.equal(refusals(), 1, 'no commit is tried again')
    const heir = await start(dataDir)
    const agent = new Agent({ keepAlive: true })
    for (const one of log) await create(agent, heir.port, home, one)
    agent.destroy()
    assert.equal(await end(heir, 'SIGTERM'), 0)
    assert.deepEqual(wrongWith(join(dataDir, 'docket.db'), log), [])
  })
}

test('a commit that is tried again after a failed flush, and then believed, is found out', async () => {
  const { dataDir, server, log, answers } = await onFailingDisk('overlooked')
  await end(server, 'SIGKILL')
  assert.deepEqual(new Set(answers), new Set(['done']))
  assert.match(wrongWith(join(dataDir, 'docket.db'), log).join('\n'), /lost: /)
})
