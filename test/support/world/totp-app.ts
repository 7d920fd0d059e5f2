import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import type { TestClock } from '../system/test-clock.ts'
import type { createCookieClient } from './cookie-client.ts'
import { describeReply } from './cookie-client.ts'
import { TEST_PASSWORD } from './test-password.ts'

const PERIOD_MS = 30_000

/** A TOTP app that follows the server's clock, and advances it so that no code is used twice. */
export function createTotpApp(secret: string, clock: TestClock) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return {
    next(): string {
      clock.advance(PERIOD_MS)
      return totp.generate({ timestamp: clock.now() })
    },
    /** The code for a number of 30-second steps after now, or before now if negative. */
    at: (steps: number) => totp.generate({ timestamp: clock.now() + steps * PERIOD_MS }),
    isCode: (text: string) => totp.validate({ token: text, timestamp: clock.now() }) !== null,
  }
}

/** Enables a second factor for the person who is signed in with the test password. */
export async function enrollSecondFactor(
  { send }: Pick<ReturnType<typeof createCookieClient>, 'send'>,
  clock: TestClock,
) {
  const begun = await send('POST /internal/account/second-factor', {
    current_password: TEST_PASSWORD,
  })
  assert.equal(describeReply(begun), '200')
  const codes = createTotpApp(String(begun.body.secret), clock)
  const enabled = await send('POST /internal/account/second-factor/enable', { code: codes.next() })
  assert.equal(describeReply(enabled), '200')
  return { codes, recovery: enabled.body.recovery_codes as string[] }
}
