/** The client types of OAuth: only confidential clients can keep a secret (RFC 6749 §2.1). */
export type OAuthClientType = 'confidential' | 'public'

/** The maximum length of a redirect URI in characters. */
export const MAX_REDIRECT_URI_LENGTH = 2_048

/** Only these spellings: programs disagree about other notations of loopback addresses. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?([/?]|$)/i
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** No spaces, control characters, or characters that only some programs accept in a URL. */
const ALLOWED_CHARACTERS = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/

/**
 * Validates the redirect URI of an application (docs/spec/api.md#oauth). Returns the text of the error after
 * the name of the field, or undefined. Wildcards are rejected because they would not match anything
 * else.
 */
export function validateRedirectUri(uri: string, type: OAuthClientType): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (!url || !ALLOWED_CHARACTERS.test(uri)) return 'must be a full URL without spaces'
  if (uri.includes('#')) return 'must not have a fragment'
  if (uri.includes('*')) return 'must not contain wildcards'
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) {
    return 'must not contain a user name or password'
  }
  if (url.protocol === 'https:')
    return /^https:\/\/[^/?]/i.test(uri) ? undefined : 'must contain a host'
  if (url.protocol === 'http:') {
    return LOOPBACK.test(uri)
      ? undefined
      : 'must be https, or http on 127.0.0.1, [::1] or localhost'
  }
  if (!PRIVATE_SCHEME.test(url.protocol)) {
    return 'must use https, http on this computer, or a scheme with a dot, such as com.example.app:'
  }
  return type === 'public'
    ? undefined
    : 'must be https, because only public applications may use their own scheme'
}

/**
 * Whether a requested redirect URI is registered. It must be equal character by character; only
 * public applications may use another port on this computer (RFC 8252 §7.3; `localhost` as well,
 * against the advice of its §8.3, because many libraries know no other name).
 */
export function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  type: OAuthClientType,
): boolean {
  if (registered.includes(requested)) return true
  const portless = type === 'public' ? withoutPort(requested) : undefined
  return portless !== undefined && registered.some((uri) => withoutPort(uri) === portless)
}

/** A loopback URI without its port; undefined for all other URIs. */
function withoutPort(uri: string): string | undefined {
  const [, host, port, rest] =
    /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(\/.*|\?.*|)$/.exec(uri) ?? []
  if (host === undefined || (port !== undefined && Number(port.slice(1)) > 65_535)) return undefined
  return `${host}${rest}`
}
