import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { cookieIn, sessionCookie } from '#identity/cookie.ts'
import type { StepKind } from '#identity/steps.ts'

const DAY = 24 * 60 * 60
const DEVICE = 'docket_device'

/** Sets the cookie of a session (contract 4.5); it may last as long as the session can. */
export const sessionSet = (baseUrl: string, value: string): string =>
  `${sessionCookie(baseUrl)}=${value}; Path=/; ${attributes(baseUrl)}; Max-Age=${30 * DAY}`

/** Takes it away. */
export const sessionCleared = (baseUrl: string): string =>
  `${sessionCookie(baseUrl)}=; Path=/; ${attributes(baseUrl)}; Max-Age=0`

/**
 * Sets the cookie by which a browser is known again that was let in to an account: it has a count of
 * failures of its own there. It opens nothing.
 */
export const deviceSet = (baseUrl: string, device: string): string =>
  `${DEVICE}=${device}; Path=/internal; ${attributes(baseUrl)}; Max-Age=${365 * DAY}`

/** Sets the cookie of a sign-in that is under way: the browser that began it goes on with it. */
export const stepSet = (baseUrl: string, kind: StepKind, value: string): string =>
  `${stepCookie(baseUrl, kind)}=${value}; Path=/; ${attributes(baseUrl)}; Max-Age=600`

/** Takes it away. */
export const stepCleared = (baseUrl: string, kind: StepKind): string =>
  `${stepCookie(baseUrl, kind)}=; Path=/; ${attributes(baseUrl)}; Max-Age=0`

/** The value of it that was sent. */
export const stepIn = (baseUrl: string, kind: StepKind, cookie: string | undefined) =>
  cookieIn(cookie, stepCookie(baseUrl, kind))

/** As with a session, nobody else can plant it over https. */
const stepCookie = (baseUrl: string, kind: StepKind): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : 'docket_'}${kind}`

const attributes = (baseUrl: string) =>
  baseUrl.startsWith('https:') ? 'Secure; HttpOnly; SameSite=Lax' : 'HttpOnly; SameSite=Lax'

/** A new value of a device cookie for an account: whose, which, and our signature. */
export function newDevice(key: Buffer, user_id: string): string {
  const named = `${user_id}.${randomBytes(16).toString('base64url')}`
  return `${named}.${signed(key, named)}`
}

/** The value of the device cookie that was sent, if it is ours and of this account. */
export function deviceIn(
  key: Buffer,
  cookie: string | undefined,
  user_id: string,
): string | undefined {
  const value = cookieIn(cookie, DEVICE)
  if (value === undefined || !value.startsWith(`${user_id}.`)) return undefined
  const end = value.lastIndexOf('.')
  const [is, ought] = [value.slice(end + 1), signed(key, value.slice(0, end))].map((one) =>
    Buffer.from(one),
  )
  if (!is || !ought || is.length !== ought.length) return undefined
  return timingSafeEqual(is, ought) ? value : undefined
}

const signed = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')
