import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

/** For so long somebody may think about it in the browser. */
const PATIENCE_MS = 5 * 60 * 1_000
const PATH = '/callback'

/** An address of this computer to which a browser comes back once. */
export interface Callback<T> {
  redirect_uri: string
  /** What became of the coming back. */
  settled: Promise<T>
  close(): void
}

/**
 * Waits on a port of the loopback for a browser that brings `state` (RFC 8252, section 7.3); whatever
 * else comes there is turned away and changes nothing. `settle` is given the address with which it came,
 * and the browser is told whether that went well.
 */
export async function openCallback<T>(
  state: string,
  settle: (back: URL) => Promise<T>,
): Promise<Callback<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let came = false
  const server = createServer((request, response) => {
    const back = URL.parse(request.url ?? '', redirect_uri)
    const isIt = back?.pathname === PATH && back.searchParams.get('state') === state
    if (!isIt || request.method !== 'GET' || came) {
      return answer(response, 404, 'Nothing is waited for here', 'Start over with docket login.')
    }
    came = true
    settle(back).then(
      (value) => {
        response.once('finish', () => resolve(value))
        answer(response, 200, 'You are signed in', 'You can close this window.')
      },
      (error: Error) => {
        response.once('finish', () => reject(error))
        answer(response, 400, 'You are not signed in', 'The terminal tells why. Close this window.')
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const redirect_uri = `http://127.0.0.1:${port}${PATH}`
  const patience = setTimeout(() => {
    reject(new Error('Nobody came back from the browser within five minutes: docket login again.'))
  }, PATIENCE_MS)
  return {
    redirect_uri,
    settled: promise,
    close() {
      clearTimeout(patience)
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens an address in the person's browser, where there is one; nobody hears of it if not. */
export function openBrowser(address: string): void {
  const [command = '', ...words] = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }[process.platform as string] ?? ['xdg-open']
  const child = spawn(command, [...words, address], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}

/** The texts are of this file alone: nothing of them comes from the request. */
function answer(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} – Docket</title></head><body><h1>${title}</h1><p>${text}</p></body></html>
`)
}
