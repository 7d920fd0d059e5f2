import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import { clock } from '#lib/clock.ts'
import { PASSWORD } from './account.ts'
import type { browser } from './browser.ts'
import { endOf } from './browser.ts'

const PERIOD_MS = 30_000
let ahead = 0

/** Lets time go by for a server in this process. */
export function pass(ms: number): void {
  ahead += ms
  clock.source = () => Date.now() + ahead
}

/** An application that makes codes, for a server in this process: each is of a later time than the one before. */
export function codesOf(secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return {
    next(): string {
      pass(PERIOD_MS)
      return totp.generate({ timestamp: clock.now() })
    },
    /** So many steps before now, or after. */
    at: (steps: number) => totp.generate({ timestamp: clock.now() + steps * PERIOD_MS }),
    isCode: (text: string) => totp.validate({ token: text, timestamp: clock.now() }) !== null,
  }
}

/** A second factor for the person who is signed in with the password of the tests. */
export async function withSecondFactor({ send }: Pick<ReturnType<typeof browser>, 'send'>) {
  const begun = await send('POST /internal/account/second-factor', { current_password: PASSWORD })
  assert.equal(endOf(begun), '200')
  const codes = codesOf(String(begun.body.secret))
  const enabled = await send('POST /internal/account/second-factor/enable', { code: codes.next() })
  assert.equal(endOf(enabled), '200')
  return { codes, recovery: enabled.body.recovery_codes as string[] }
}
