import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { secondFactorSince } from '#auth/second-factor/second-factor.ts'
import { readCookie, sessionCookieName } from '#auth/sessions/session-cookie.ts'
import type { SignInStateKind } from '#auth/sign-in/sign-in-states.ts'
import type { SignInStepKind } from '#auth/sign-in/sign-in-steps.ts'
import type { ReadTx } from '#core/transaction.ts'

const DAY_S = 24 * 60 * 60
const DEVICE_COOKIE = 'docket_device'

/** A cookie has the token of a stored step, or the encrypted state itself. */
type StepCookieKind = SignInStepKind | SignInStateKind

/**
 * Returns the Set-Cookie header of a session (docs/spec/api.md#session-cookie). Max-Age is the maximum lifetime of a
 * session.
 */
export const serializeSessionCookie = (baseUrl: string, value: string): string =>
  `${sessionCookieName(baseUrl)}=${value}; Path=/; ${attributes(baseUrl)}; Max-Age=${30 * DAY_S}`

/** Returns the Set-Cookie header that removes it. */
export const expireSessionCookie = (baseUrl: string): string =>
  `${sessionCookieName(baseUrl)}=; Path=/; ${attributes(baseUrl)}; Max-Age=0`

/**
 * Returns the Set-Cookie header of a device token. It identifies a browser that has signed in to
 * the account before, so that it has its own limits of attempts. It grants no access.
 */
export const serializeDeviceCookie = (baseUrl: string, device: string): string =>
  `${DEVICE_COOKIE}=${device}; Path=/internal; ${attributes(baseUrl)}; Max-Age=${365 * DAY_S}`

/** Returns the Set-Cookie header of an unfinished sign-in, which only this browser can continue. */
export const serializeStepCookie = (baseUrl: string, kind: StepCookieKind, value: string): string =>
  `${stepCookieName(baseUrl, kind)}=${value}; Path=/; ${attributes(baseUrl)}; Max-Age=600`

/** Returns the Set-Cookie header that removes it. */
export const expireStepCookie = (baseUrl: string, kind: StepCookieKind): string =>
  `${stepCookieName(baseUrl, kind)}=; Path=/; ${attributes(baseUrl)}; Max-Age=0`

/** Reads the token of an unfinished sign-in from a Cookie header. */
export const readStepCookie = (baseUrl: string, kind: StepCookieKind, cookie: string | undefined) =>
  readCookie(cookie, stepCookieName(baseUrl, kind))

/** Over https the prefix prevents other hosts from setting the cookie. */
const stepCookieName = (baseUrl: string, kind: StepCookieKind): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : 'docket_'}${kind}`

const attributes = (baseUrl: string) =>
  baseUrl.startsWith('https:') ? 'Secure; HttpOnly; SameSite=Lax' : 'HttpOnly; SameSite=Lax'

/**
 * Creates a device token of an account: user id, random id, time of issue and signature. The account
 * must have passed every factor that it has at that time.
 */
export function createDeviceToken(key: Buffer, user_id: string, nowMs: number): string {
  const unsigned = `${user_id}.${randomBytes(16).toString('base64url')}.${nowMs}`
  return `${unsigned}.${sign(key, unsigned)}`
}

/**
 * Reads the device token from a Cookie header if its signature is valid and it belongs to this
 * account. It proves only that somebody in this browser has known a password of the account: for what
 * comes after the password see `findVerifiedDevice`.
 */
export function readDeviceToken(
  key: Buffer,
  cookie: string | undefined,
  user_id: string,
): string | undefined {
  const value = readCookie(cookie, DEVICE_COOKIE)
  if (value === undefined || !value.startsWith(`${user_id}.`)) return undefined
  const end = value.lastIndexOf('.')
  const [actual, expected] = [value.slice(end + 1), sign(key, value.slice(0, end))].map((text) =>
    Buffer.from(text),
  )
  if (!actual || !expected || actual.length !== expected.length) return undefined
  return timingSafeEqual(actual, expected) ? value : undefined
}

/**
 * Reads the device token if it was issued since the account has the second factor that it has now.
 * Before, a password was enough to collect any number of them.
 */
export async function findVerifiedDevice(
  tx: ReadTx,
  key: Buffer,
  cookie: string | undefined,
  user_id: string,
): Promise<string | undefined> {
  const device = readDeviceToken(key, cookie, user_id)
  const since = device === undefined ? null : await secondFactorSince(tx, user_id)
  if (since === null) return device
  // Tokens of earlier builds have no time of issue: NaN is not after anything.
  const issuedAt = Number(device?.split('.')[2])
  return issuedAt >= Date.parse(since) ? device : undefined
}

const sign = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')
