import { test } from 'node:test'
import { artifactsOf } from './artifacts.ts'

/** Not found by the test run; `artifacts.test.ts` runs it to see what is left. */
test('this test fails!', (t) => {
  artifactsOf(t).write('why.txt', 'as it should')
  throw new Error('as it should')
})

test('this test passes', (t) => {
  artifactsOf(t)
})
