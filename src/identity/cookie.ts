/**
 * The name of the cookie of a session. Over https its prefix binds it to this very host and to
 * encrypted transport: browsers take it from nobody else (contract 4.5).
 */
export const sessionCookie = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-session' : 'docket_session'

/**
 * The value of a cookie in the text of a Cookie header. Undefined too where it is there with two
 * values: then another site of this host has put one beside, and nobody knows which is ours.
 */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at === -1 || part.slice(0, at).trim() !== name) continue
    const value = part.slice(at + 1).trim()
    if (found !== undefined && found !== value) return undefined
    found = value
  }
  return found
}

/** Whether a text has the form of the value of a session's cookie: 32 bytes in base64url. */
export const isSessionValue = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
