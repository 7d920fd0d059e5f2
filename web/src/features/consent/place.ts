/** Where a browser goes after the decision, as a person can judge it. */
export interface Place {
  /** A host in the web, a program on this computer, or an application that took a scheme for itself. */
  kind: 'web' | 'here' | 'app'
  /** The host with its port, or the scheme. */
  name: string
}

const HERE = /^(127\.0\.0\.1|\[::1\]|localhost)$/

/** What a redirect URI leads to; what cannot be read is shown as it is. */
export function placeOf(uri: string): Place {
  const url = URL.parse(uri)
  if (!url) return { kind: 'app', name: uri }
  const { protocol, hostname, host } = url
  if (!/^https?:$/.test(protocol)) return { kind: 'app', name: protocol.slice(0, -1) }
  return { kind: HERE.test(hostname) ? 'here' : 'web', name: host }
}
