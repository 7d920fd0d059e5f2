import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { setPassword } from '#identity/account.ts'
import { hashOfPassword } from '#identity/password.ts'
import { PASSWORD, withPassword } from '../support/account.ts'
import { browser } from '../support/browser.ts'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'

/** `node --test test/experiments/sign-in-times.ts`, on a quiet machine: the milliseconds of a sign-in that fails. */
test('how long a sign-in takes, with and without an account', async (t) => {
  const { storage, server } = await docketOn('sqlite')
  // At the cost of production: other tests check a cheaper one.
  const hash = await hashOfPassword(PASSWORD)
  const times: Record<'known' | 'unknown' | 'refused', number[]> = {
    known: [],
    unknown: [],
    refused: [],
  }
  const timed = async (to: number[], email: string, headers = {}) => {
    const began = performance.now()
    const body = { email, password: `not ${PASSWORD}` }
    await browser(server).send('POST /internal/session', body, { headers })
    to.push(performance.now() - began)
  }
  for (let home = 0; home < 3; home += 1) {
    const people = await newHome(storage)
    for (const role of ['owner', 'admin', 'member', 'guest'] as const) {
      const email = await withPassword(storage, people, role)
      await storage.write(NOBODY, (tx) => setPassword(tx, people.people[role], hash))
      await timed(times.known, email)
      await timed(times.unknown, `no.${email}`)
      await timed(times.refused, email, { origin: 'null' })
    }
  }
  for (const [who, of] of Object.entries(times)) {
    t.diagnostic(`${who}: ${of.toSorted((a, b) => a - b)[6]} ms`)
  }
})
