import { cookieIn } from '../cookie.ts'

/** Seconds for which a person may think about what an application asks. */
export const ASKED_SECONDS = 30 * 60

/**
 * By this cookie the browser is known in which a request for authorization began, so that nobody can
 * have another person answer one's own. Over https no other host can put it there.
 */
const nameOf = (baseUrl: string, uid: string): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : ''}docket_asked_${uid.slice(0, 10)}`

/** Sets it. */
export const askedSet = (baseUrl: string, uid: string): string =>
  `${nameOf(baseUrl, uid)}=${uid}; ${attributes(baseUrl)}; Max-Age=${ASKED_SECONDS}`

/** Takes it away. */
export const askedCleared = (baseUrl: string, uid: string): string =>
  `${nameOf(baseUrl, uid)}=; ${attributes(baseUrl)}; Max-Age=0`

/** Whether the text of a Cookie header comes from the browser in which this request began. */
export const wasAskedHere = (baseUrl: string, uid: string, cookie: string | undefined): boolean =>
  cookieIn(cookie, nameOf(baseUrl, uid)) === uid

const attributes = (baseUrl: string) =>
  `Path=/; ${baseUrl.startsWith('https:') ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`
