import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { serverArguments, startDocketUnderTest } from './docket-under-test.ts'
import { runChecksOf } from './run-kit.ts'

for (const engine of ENGINES) {
  test(`[${engine}] Docket passes all checks of a server, and the kit leaves nothing behind`, async () => {
    const docket = await startDocketUnderTest(engine)
    const { code, results, stderr, failed, skipped, output } = await runChecksOf(
      ...serverArguments(docket, docket.port),
    )
    assert.deepEqual(results.filter(({ outcome }) => outcome === 'failed'), [])
    assert.deepEqual([code, failed, skipped], [0, [], []])
    console.log(stderr)
    for (const key of [docket.key, docket.secondKey, docket.readOnlyKey]) {
      assert.ok(!output.includes(key))
    }
  })
}
