import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

/** The time that the user has to sign in in the browser. */
const SIGN_IN_TIMEOUT_MS = 5 * 60 * 1_000
const PATH = '/callback'

/** A local redirect URI that a browser can return to once. */
export interface BrowserCallback<T> {
  redirect_uri: string
  /** What `handle` returned for the redirect. */
  result: Promise<T>
  close(): void
}

/**
 * Listens on a loopback port for a redirect with the right `state` (RFC 8252, section 7.3). All
 * other requests get 404 and change nothing. `handle` gets the URL of the redirect, and the browser
 * shows whether it succeeded.
 */
export async function listenForCallback<T>(
  state: string,
  handle: (redirect: URL) => Promise<T>,
): Promise<BrowserCallback<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let isHandled = false
  const server = createServer((request, response) => {
    const redirect = URL.parse(request.url ?? '', redirect_uri)
    const isExpected = redirect?.pathname === PATH && redirect.searchParams.get('state') === state
    if (!isExpected || request.method !== 'GET' || isHandled) {
      return sendPage(response, 404, 'No sign-in in progress', 'Run docket login to sign in.')
    }
    isHandled = true
    handle(redirect).then(
      (value) => {
        response.once('finish', () => resolve(value))
        sendPage(response, 200, 'You are signed in', 'You can close this window.')
      },
      (error: Error) => {
        response.once('finish', () => reject(error))
        sendPage(
          response,
          400,
          'Sign-in failed',
          'See the terminal for details. You can close this window.',
        )
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const redirect_uri = `http://127.0.0.1:${port}${PATH}`
  const timeout = setTimeout(() => {
    reject(new Error('The sign-in was not completed within five minutes. Run docket login again.'))
  }, SIGN_IN_TIMEOUT_MS)
  return {
    redirect_uri,
    result: promise,
    close() {
      clearTimeout(timeout)
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens a URL in the user's browser. Failures are ignored, because the URL is printed as well. */
export function openBrowser(url: string): void {
  const [command = '', ...args] = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }[process.platform as string] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}

/** `title` and `text` are not escaped, so they must never come from the request. */
function sendPage(response: ServerResponse, status: number, title: string, text: string): void {
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
