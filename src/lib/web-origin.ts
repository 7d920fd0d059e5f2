/** Whether a URL is an origin: without a path and without a slash at the end. */
export function isOrigin(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && address === url.origin
}

/** Whether a host, with or without a port, is this machine. */
export function isLoopback(host: string | undefined): boolean {
  const name = (host ?? '')
    .toLowerCase()
    .replace(/^([^:]*|\[.*\]):\d+$/, '$1')
    .replace(/\.$/, '')
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/.test(name)
}
