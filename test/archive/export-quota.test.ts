import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Files } from '#files/files.ts'
import { openFiles } from '#files/open.ts'
import type { Export } from '#resources/exports/internal.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createCookieClient, describeReply } from '../support/world/cookie-client.ts'
import { runExportJobs } from '../support/world/run-export-jobs.ts'
import { setTestPassword, TEST_PASSWORD } from '../support/world/test-password.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const HOUR_MS = 60 * 60 * 1000
const EXPORTS = '/internal/exports'

for (const engine of ENGINES) {
  const setUp = async () => {
    const clock = createTestClock()
    const { storage, server, config } = await openFreshDocket(engine, {}, { clock })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'owner')
    const owner = createCookieClient(server)
    await owner.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const files = openFiles(config)
    const start = async () => {
      const confirmation = { current_password: TEST_PASSWORD }
      await owner.send('POST /internal/session/confirmation', confirmation)
      return describeReply(await owner.send(`POST ${EXPORTS}`))
    }
    const run = (maxBytes?: number, changed: Partial<Files> = {}) =>
      runExportJobs(storage, { ...files, ...changed }, maxBytes)
    const list = async () => {
      const { body } = await owner.send(`GET ${EXPORTS}`)
      return body.data as Export[]
    }
    return { clock, storage, start, run, list }
  }

  test(`limits the number of exports within 24 hours (${engine})`, async () => {
    const { clock, start, run } = await setUp()
    for (let n = 0; n < 10; n++) {
      assert.equal(await start(), '201')
      assert.equal(await start(), '409 export_under_way')
      await run()
      clock.advance(HOUR_MS)
    }
    assert.equal(await start(), '409 limit_reached')
    clock.advance(14 * HOUR_MS)
    assert.equal(await start(), '201')
  })

  test(`limits the bytes of all archives, and expires the oldest (${engine})`, async () => {
    const { start, run, list } = await setUp()
    await start()
    await run()
    const size = (await list())[0]?.size_bytes ?? assert.fail()
    for (let n = 0; n < 2; n++) {
      await start()
      await run(size * 2.5)
    }
    assert.deepEqual(
      (await list()).map(({ status }) => status),
      ['ready', 'ready', 'expired'],
    )
    await start()
    await run(size / 2)
    const [tooLarge] = await list()
    assert.equal(tooLarge?.status, 'failed')
    assert.match(tooLarge?.error ?? '', /^The archive has \d+ bytes/)
  })

  test(`a failed export leaves no timer (${engine})`, async (t) => {
    const { start, run, list } = await setUp()
    const timers = new Set<NodeJS.Timeout>()
    const { setInterval, clearInterval } = globalThis
    t.mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
      const timer = setInterval(work, ms)
      timers.add(timer)
      return timer
    })
    t.mock.method(globalThis, 'clearInterval', (timer: NodeJS.Timeout) => {
      timers.delete(timer)
      clearInterval(timer)
    })
    const fail = async () => assert.fail('The disk is full.')
    for (const failing of [{ put: fail }, { draft: fail }]) {
      await start()
      assert.equal(await run(undefined, failing), 1)
      const left = [...timers]
      for (const timer of timers) clearInterval(timer)
      assert.deepEqual(left, [])
    }
    assert.equal((await list()).at(-1)?.status, 'failed')
  })
}
