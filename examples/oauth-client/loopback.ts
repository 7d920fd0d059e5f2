import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Listens on any free port of this computer alone (RFC 8252): Docket takes any port for the registered
 * `http://127.0.0.1/callback`. `came` is the address with which the browser brought `state` back; what
 * anybody else sends there is turned away.
 */
export async function loopback() {
  const { promise, resolve } = Promise.withResolvers<URL>()
  let expected: string | undefined
  const server = createServer((request, response) => {
    const back = URL.parse(request.url ?? '', redirectUri)
    const isIt = back?.pathname === '/callback' && back.searchParams.get('state') === expected
    response.writeHead(isIt ? 200 : 404, { 'cache-control': 'no-store', connection: 'close' })
    response.end(isIt ? 'You can close this window.' : 'Nothing is waited for here.')
    if (isIt) response.once('finish', () => resolve(back))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  return {
    redirectUri,
    async came(state: string): Promise<URL> {
      expected = state
      const back = await promise
      server.close()
      server.closeAllConnections()
      return back
    },
  }
}

/** Opens the person's browser, never a window of one's own: there they are signed in, and see where. */
export function openBrowser(address: string): void {
  console.error(`Sign in, in the browser, at\n\n${address}\n`)
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const browser = spawn(command, [address], { stdio: 'ignore', detached: true })
  browser.on('error', () => {})
  browser.unref()
}
