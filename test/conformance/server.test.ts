import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { serverArguments, startDocketUnderTest } from './docket-under-test.ts'
import { runChecksOf } from './run-kit.ts'

for (const engine of ENGINES) {
  test(`[${engine}] Docket passes all checks of a server`, async () => {
    const docket = await startDocketUnderTest(engine)
    const run = await runChecksOf(...serverArguments(docket, docket.port))
    assert.deepEqual(
      run.results.filter(({ outcome }) => outcome !== 'passed'),
      [],
    )
    assert.equal(run.code, 0)
    assert.match(run.stderr, /^\d+ requests\.\n$/)
    for (const key of [docket.key, docket.secondKey, docket.readOnlyKey]) {
      assert.ok(!run.output.includes(key))
    }
  })
}
