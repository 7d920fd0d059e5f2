import { test } from 'node:test'
import { createTestArtifacts } from './artifacts.ts'

/** Not matched by the test run; `artifacts.test.ts` runs it and inspects the artifacts. */
test('this test fails!', (t) => {
  createTestArtifacts(t).write('why.txt', 'as it should')
  throw new Error('as it should')
})

test('this test passes', (t) => {
  createTestArtifacts(t)
})
