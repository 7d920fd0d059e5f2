import { test } from 'node:test'
import { openTestDocket } from '../support/engines/test-docket.ts'

/** Not matched by the test run; `run-tests.test.ts` reads what the failing test leaves. */
test('a test before it passes', async () => {
  const { server } = await openTestDocket('sqlite')
  await server.inject('/healthz')
})

test('this test fails beside a server in its process', async () => {
  const { server } = await openTestDocket('sqlite')
  await server.inject('/api/v1/me')
  throw new Error('as it should')
})
