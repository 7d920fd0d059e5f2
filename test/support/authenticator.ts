import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { PASSWORD } from './account.ts'
import type { browser } from './browser.ts'
import { endOf } from './browser.ts'
import type { TestClock } from './clock.ts'

const PERIOD_MS = 30_000

/** An application that makes codes by the clock of the server: each is of a later time than the one before. */
export function codesOf(secret: string, clock: TestClock) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return {
    next(): string {
      clock.advance(PERIOD_MS)
      return totp.generate({ timestamp: clock.now() })
    },
    /** So many steps before now, or after. */
    at: (steps: number) => totp.generate({ timestamp: clock.now() + steps * PERIOD_MS }),
    isCode: (text: string) => totp.validate({ token: text, timestamp: clock.now() }) !== null,
  }
}

/** A second factor for the person who is signed in with the password of the tests. */
export async function withSecondFactor(
  { send }: Pick<ReturnType<typeof browser>, 'send'>,
  clock: TestClock,
) {
  const begun = await send('POST /internal/account/second-factor', { current_password: PASSWORD })
  assert.equal(endOf(begun), '200')
  const codes = codesOf(String(begun.body.secret), clock)
  const enabled = await send('POST /internal/account/second-factor/enable', { code: codes.next() })
  assert.equal(endOf(enabled), '200')
  return { codes, recovery: enabled.body.recovery_codes as string[] }
}
