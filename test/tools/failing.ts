import { test } from 'node:test'

/** Not found by the test run; `run.test.ts` runs it to see that a failure is told. */
test('this test fails', () => {
  throw new Error('as it should')
})
