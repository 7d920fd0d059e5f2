import { test } from 'node:test'
import { hashPassword } from '#auth/passwords/password-hash.ts'
import { setPassword } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openTestDocket } from '../../support/engines/test-docket.ts'
import { createCookieClient } from '../../support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '../../support/world/test-password.ts'
import { createTestWorkspace } from '../../support/world/test-workspace.ts'

/**
 * Prints the milliseconds of a failed sign-in. Run it on an idle machine:
 * `npx node --test test/experiments/sessions/sign-in-timing.ts`.
 */
test('measures a failed sign-in with and without an account', async (t) => {
  const { storage, server } = await openTestDocket('sqlite')
  // A hash with the cost of production; other tests use a cheaper one.
  const hash = await hashPassword(TEST_PASSWORD)
  const times: Record<'known' | 'unknown' | 'refused', number[]> = {
    known: [],
    unknown: [],
    refused: [],
  }
  const timed = async (to: number[], email: string, headers = {}) => {
    const began = performance.now()
    const body = { email, password: `not ${TEST_PASSWORD}` }
    await createCookieClient(server).send('POST /internal/session', body, { headers })
    to.push(performance.now() - began)
  }
  for (let home = 0; home < 3; home += 1) {
    const people = await createTestWorkspace(storage)
    for (const role of ['owner', 'admin', 'member', 'guest'] as const) {
      const email = await setTestPassword(storage, people, role)
      await storage.write(ANONYMOUS_ACTOR, (tx) => setPassword(tx, people.people[role], hash))
      await timed(times.known, email)
      await timed(times.unknown, `no.${email}`)
      await timed(times.refused, email, { origin: 'null' })
    }
  }
  for (const [who, of] of Object.entries(times)) {
    t.diagnostic(`${who}: ${of.toSorted((a, b) => a - b)[6]} ms`)
  }
})
