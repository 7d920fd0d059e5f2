import { test } from 'node:test'

/** Not matched by the test run; `run-tests.test.ts` runs it to see that a failure is reported. */
test('this test fails', () => {
  throw new Error('as it should')
})
