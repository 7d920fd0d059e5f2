/** What an application is: one that can keep a secret, or one that runs where anybody can read it. */
export type ApplicationType = 'confidential' | 'public'

/** The most that a redirect URI may have, in characters. */
export const LONGEST_REDIRECT_URI = 2_048

/** As it is written: other spellings of the same address are not understood by all alike. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?([/?]|$)/i
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** No space, control character, or what only some programs read as part of an address. */
const CLEAN = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/

/**
 * What is wrong with an address to which browsers are to come back (contract 4.4), as the words that
 * follow its name; undefined if nothing is. Wildcards stand for themselves and so are refused.
 */
export function faultOfRedirectUri(uri: string, type: ApplicationType): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (!url || !CLEAN.test(uri)) return 'must be an absolute address without spaces'
  if (uri.includes('#')) return 'must have no fragment'
  if (uri.includes('*')) return 'must be one address: wildcards are not understood'
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) {
    return 'must hold no user name or password'
  }
  if (url.protocol === 'https:')
    return /^https:\/\/[^/?]/i.test(uri) ? undefined : 'must name a host'
  if (url.protocol === 'http:') {
    return LOOPBACK.test(uri)
      ? undefined
      : 'must be https, or http on 127.0.0.1, [::1] or localhost'
  }
  if (!PRIVATE_SCHEME.test(url.protocol)) {
    return 'must be https, http on this computer, or have a scheme with a dot such as com.example.app:'
  }
  return type === 'public' ? undefined : 'must be https: only public applications have own schemes'
}

/**
 * Whether a browser may be sent to `asked`: it is one of the registered addresses, character by
 * character; of a public application on an IP address of the computer itself the port may differ
 * (RFC 8252, section 7.3).
 */
export function isRedirectUri(
  asked: string,
  registered: readonly string[],
  type: ApplicationType,
): boolean {
  if (registered.includes(asked)) return true
  const wanted = type === 'public' ? withoutPort(asked) : undefined
  return wanted !== undefined && registered.some((uri) => withoutPort(uri) === wanted)
}

/** An address on this computer as it was written, but for its port; undefined for any other. */
function withoutPort(uri: string): string | undefined {
  const [, host, port, rest] =
    /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d{1,5})?(\/.*|\?.*|)$/.exec(uri) ?? []
  if (host === undefined || (port !== undefined && Number(port.slice(1)) > 65_535)) return undefined
  return `${host}${rest}`
}
