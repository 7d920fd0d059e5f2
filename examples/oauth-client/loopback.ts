import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Listens on a free port of the loopback interface (RFC 8252): Docket accepts any port for the
 * registered `http://127.0.0.1/callback`. `came` resolves to the URL of the redirect with the right
 * `state`; other requests get 404.
 */
export async function listenOnLoopback() {
  const { promise, resolve } = Promise.withResolvers<URL>()
  let expected: string | undefined
  const server = createServer((request, response) => {
    const back = URL.parse(request.url ?? '', redirectUri)
    const isExpected = back?.pathname === '/callback' && back.searchParams.get('state') === expected
    response.writeHead(isExpected ? 200 : 404, { 'cache-control': 'no-store', connection: 'close' })
    response.end(isExpected ? 'You can close this window.' : 'No sign-in is in progress.')
    if (isExpected) response.once('finish', () => resolve(back))
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

/** Opens the person's own browser, where they are signed in and can check the address. */
export function openSystemBrowser(address: string): void {
  console.error(`To sign in, open this URL in your browser:\n\n${address}\n`)
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const browser = spawn(command, [address], { stdio: 'ignore', detached: true })
  browser.on('error', () => {})
  browser.unref()
}
