/**
 * The name of the session cookie. Over https the `__Host-` prefix makes browsers accept the cookie
 * only from this host and only over encrypted transport (docs/spec/api.md#session-cookie).
 */
export const sessionCookieName = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-session' : 'docket_session'

/**
 * Reads a cookie from a Cookie header. Returns undefined also if the cookie occurs with two values:
 * then another site of the same domain has planted one, and we cannot know which is ours.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals === -1 || part.slice(0, equals).trim() !== name) continue
    const value = part.slice(equals + 1).trim()
    if (found !== undefined && found !== value) return undefined
    found = value
  }
  return found
}

/** Whether a text has the format of a session cookie's value: 32 bytes in base64url. */
export const isSessionCookieValue = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
