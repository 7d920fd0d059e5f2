import { readCookie } from '../sessions/session-cookie.ts'

/** How long a user may take to answer an authorization request. */
export const CONSENT_TTL_SECONDS = 30 * 60

/**
 * This cookie identifies the browser in which an authorization request began, so that nobody can
 * make another user answer their request. Over https its prefix prevents other hosts from setting
 * it.
 */
const cookieName = (baseUrl: string, uid: string): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : ''}docket_asked_${uid.slice(0, 10)}`

/** Returns the Set-Cookie header that sets it. */
export const serializeConsentCookie = (baseUrl: string, uid: string): string =>
  `${cookieName(baseUrl, uid)}=${uid}; ${attributes(baseUrl)}; Max-Age=${CONSENT_TTL_SECONDS}`

/** Returns the Set-Cookie header that removes it. */
export const expireConsentCookie = (baseUrl: string, uid: string): string =>
  `${cookieName(baseUrl, uid)}=; ${attributes(baseUrl)}; Max-Age=0`

/** Whether a Cookie header comes from the browser in which this authorization request began. */
export const hasConsentCookie = (
  baseUrl: string,
  uid: string,
  cookie: string | undefined,
): boolean => readCookie(cookie, cookieName(baseUrl, uid)) === uid

const attributes = (baseUrl: string) =>
  `Path=/; ${baseUrl.startsWith('https:') ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`
