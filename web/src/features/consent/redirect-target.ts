import { parseUrl } from '../../lib/text/parse-url.ts'

/** The target of a redirect URI, in a form that a person can judge. */
interface RedirectTarget {
  /** A host on the web, a program on this computer, or an app with a private URI scheme. */
  kind: 'web' | 'here' | 'app'
  /** The host with its port, or the scheme. */
  name: string
}

const LOOPBACK_HOST = /^(127\.0\.0\.1|\[::1\]|localhost)$/

/** Reads the target of a redirect URI; a URI that cannot be parsed is shown as it is. */
export function parseRedirectTarget(uri: string): RedirectTarget {
  const url = parseUrl(uri)
  if (!url) return { kind: 'app', name: uri }
  const { protocol, hostname, host } = url
  if (!/^https?:$/.test(protocol)) return { kind: 'app', name: protocol.slice(0, -1) }
  return { kind: LOOPBACK_HOST.test(hostname) ? 'here' : 'web', name: host }
}
