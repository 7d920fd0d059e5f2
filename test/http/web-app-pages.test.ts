import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { exchangeRaw, listenOnPort } from '../support/server/raw-exchange.ts'

const APP_ADDRESSES = [
  '/sign-in',
  '/sign-up',
  '/setup',
  '/forgot',
  '/reset/abc',
  '/invite/abc',
  '/start',
  '/deleted',
  '/t/DOC-42',
  '/w/wsp_1/my',
  '/w/wsp_1/p/DOC?view=board',
  '/w/wsp_1/settings/keys',
]

/** Requests an address of a Docket with these settings. */
async function get(url: string, headers = {}, { method = 'GET' as const, env = {} } = {}) {
  const { server } = await openTestDocket('sqlite', env)
  return server.inject({ method, url, headers })
}

test('serves the web app at each of its addresses, and 404 at unknown ones', async () => {
  for (const url of APP_ADDRESSES) {
    const { statusCode, headers, body } = await get(url)
    assert.equal(statusCode, 200, url)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers.etag, undefined, 'a page that was kept would have an old nonce')
    assert.match(body, /<div id="app"><\/div>/)
  }
  for (const url of ['/nowhere', '/w', '/sign-in/', '/reset', '/favicon.ico', '/docs.html']) {
    const { statusCode, headers, body } = await get(url)
    assert.equal(statusCode, 404, url)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.match(body, /<div id="app"><\/div>/)
  }
  assert.match((await get('/docs/nowhere')).body, /There is nothing here/)
  for (const url of ['/api/v1/nowhere', '/internal/nowhere', '/oauth/x', '/.well-known/x']) {
    const { statusCode, headers } = await get(url)
    assert.deepEqual([statusCode, headers['content-type']], [404, JSON_TYPE], url)
  }
})

const JSON_TYPE = 'application/json; charset=utf-8'

test('every page has a strict Content-Security-Policy with a new nonce for each response', async () => {
  const nonces = await Promise.all(
    ['/sign-up', '/sign-up', '/nowhere'].map(async (url) => {
      const { headers, body } = await get(url)
      const [, nonce = ''] = body.match(/<meta property="csp-nonce" nonce="([^"]{22,})">/) ?? []
      assert.equal(headers['content-security-policy'], policy(`'self' 'nonce-${nonce}'`))
      assert.doesNotMatch(body, /<script(?![^>]* src=)|<style|style=|https?:/)
      return nonce
    }),
  )
  assert.equal(new Set(nonces).size, 3)
  for (const url of ['/', '/docs', '/docs/errors', '/docs/nowhere']) {
    assert.equal(
      (await get(url)).headers['content-security-policy'],
      policy("'self'", "'none'"),
      url,
    )
  }
})

const policy = (style: string, types = 'docket-worker') =>
  `default-src 'none'; script-src 'self'; style-src ${style}; img-src 'self' data: blob:; ` +
  "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " +
  "form-action 'self'; base-uri 'none'; " +
  `frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types ${types}`

test('pages send isolation headers, and no Referer from an address that is a secret', async () => {
  const pages: [string, string, string][] = [
    ['/', 'same-origin', 'same-origin'],
    ['/docs', 'same-origin', 'same-origin'],
    ['/sign-in', 'same-origin', 'unsafe-none'],
    ['/sign-up', 'same-origin', 'same-origin'],
    ['/reset/secret', 'no-referrer', 'same-origin'],
    ['/invite/secret', 'no-referrer', 'same-origin'],
    ['/w/wsp_1/my', 'same-origin', 'same-origin'],
    ['/nowhere', 'same-origin', 'same-origin'],
  ]
  for (const [url, referrer, opener] of pages) {
    const { headers } = await get(url)
    assert.equal(headers['referrer-policy'], referrer, url)
    assert.equal(headers['cross-origin-opener-policy'], opener, url)
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', url)
    assert.equal(headers['x-content-type-options'], 'nosniff', url)
    assert.match(String(headers['permissions-policy']), /\bgeolocation=\(\)/)
    assert.equal(headers['strict-transport-security'], undefined)
  }
})

test('every reply of a server at an https address forbids plain HTTP, errors included', async () => {
  const env = { DOCKET_BASE_URL: 'https://docket.example.com' }
  const { server } = await openTestDocket('sqlite', env)
  const hostOf = async (path: string, at: Record<string, string>) =>
    (await get(path, {}, { env: at })).headers['strict-transport-security']
  for (const path of [
    '/api/v1/projects',
    '/api/v1/openapi.json',
    '/internal/session',
    '/internal/setup',
    '/oauth/token',
    '/.well-known/oauth-authorization-server',
    '/healthz',
    '/metrics',
    '/api/v1/%zz',
    '/nowhere',
    '/sign-in',
    '/app/icon.svg',
    '/api//',
    `/api/v1/${'a'.repeat(9_000)}`,
  ]) {
    assert.equal(await hostOf(path, env), 'max-age=31536000', path)
    assert.equal(await hostOf(path, {}), undefined, path)
  }
  const port = await listenOnPort(server)
  for (const [odd, status] of [
    ['hello\r\n\r\n', 400],
    ['CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ['GET /healthz HTTP/1.1\r\n\r\n', 400],
    [`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    ['GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n', 200],
  ] as const) {
    const { replies } = await exchangeRaw(port, odd, { keepsOpen: true })
    assert.equal(replies[0]?.status, status, odd)
    assert.partialDeepStrictEqual(replies[0]?.headers, {
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    assert.match(replies[0]?.headers['x-request-id'] ?? '', /^req_/)
  }
})

test('a page preloads its modules and fonts, and /internal/boot only in a workspace', async () => {
  const { body } = await get('/w/wsp_1/my')
  assert.match(body, /<link rel="preload" as="fetch" href="\/internal\/boot" crossorigin>/)
  assert.doesNotMatch((await get('/sign-in')).body, /internal\/boot/)
  const preloaded = [...body.matchAll(/(?:href|src)="(\/app\/[^"]+)"/g)].map(([, url = '']) => url)
  assert.equal(preloaded.filter((url) => url.endsWith('.woff2')).length, 2)
  assert.ok(preloaded.length >= 5)
  const screens = ['/sign-in', '/w/wsp_1/my', '/w/wsp_1/p/DOC?view=board', '/w/wsp_1/t/DOC-42']
  for (const url of screens) {
    const modules = (await get(url)).body.matchAll(/"modulepreload"[^>]*href="([^"]+)"/g)
    preloaded.push(...[...modules].map(([, href = '']) => href))
    assert.ok(
      preloaded.some((one) => one.includes(CHUNK_NAMES[screens.indexOf(url)] ?? '')),
      url,
    )
  }
  for (const url of preloaded) assert.equal((await get(url)).statusCode, 200, url)
})

const CHUNK_NAMES = ['accounts', 'project-page', 'project-page', '/task-']

test('hashed assets are immutable and served precompressed', async () => {
  const { body } = await get('/sign-in')
  const [url = ''] = body.match(/\/app\/assets\/base-[^"]+\.js/) ?? []
  const plain = await get(url)
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(plain.headers['content-encoding'], undefined)
  const brotli = await get(url, { 'accept-encoding': 'gzip, br' })
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(brotli.headers.vary, 'Accept-Encoding')
  assert.deepEqual(brotliDecompressSync(brotli.rawPayload), plain.rawPayload)
  const gzip = await get(url, { 'accept-encoding': 'gzip' })
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  const head = await get(url, { 'accept-encoding': 'br' }, { method: 'HEAD' as 'GET' })
  assert.equal(head.rawPayload.length, 0)
  assert.deepEqual(stableHeaders(head.headers), stableHeaders(brotli.headers))
  const font = body.match(/\/app\/assets\/[^"]+\.woff2/)?.[0] ?? ''
  const { headers } = await get(font, { 'accept-encoding': 'br' })
  assert.equal(headers['content-type'], 'font/woff2')
  assert.equal(headers['content-encoding'], undefined)
})

const stableHeaders = (headers: OutgoingHttpHeaders) => ({
  ...headers,
  'x-request-id': '',
  date: '',
})

test('files without a hash are revalidated by ETag (304)', async () => {
  const { headers } = await get('/app/icon.svg')
  assert.equal(headers['cache-control'], 'no-cache')
  for (const known of [headers.etag, `"x", ${headers.etag}`, '*']) {
    const again = await get('/app/icon.svg', { 'if-none-match': known })
    assert.equal(again.statusCode, 304)
    assert.equal(again.rawPayload.length, 0)
  }
  assert.equal((await get('/app/icon.svg', { 'if-none-match': 'W/"x"' })).statusCode, 200)
})

test('serves only files of the build below /app (no path traversal)', async () => {
  const { server } = await openTestDocket('sqlite')
  const port = await listenOnPort(server)
  for (const path of [
    '',
    'nowhere.js',
    'assets/',
    'index.html',
    '.vite/manifest.json',
    '__proto__',
    '../package.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/current',
    'assets/../icon.svg',
    '//etc/passwd',
    'sw.js.br',
    'icon.svg%00',
    '..\\..\\package.json',
  ]) {
    // Sent as it is: fetch and inject would normalize the path.
    const sent = request({ port, path: `/app/${path}`, agent: false }).end()
    const [reply] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(reply.statusCode, 404, path)
    assert.equal(await text(reply), 'There is no such file.\n', path)
  }
})

test('the app can be installed: its manifest and all icons are served', async () => {
  const [, link = ''] =
    (await get('/start')).body.match(/<link rel="manifest" href="([^"]+)"/) ?? []
  const { headers, body } = await get(link)
  assert.equal(headers['content-type'], 'application/manifest+json')
  const { icons, start_url } = JSON.parse(body) as {
    icons: { src: string; type: string; purpose?: string }[]
    start_url: string
  }
  assert.equal((await get(start_url)).statusCode, 200)
  assert.ok(icons.some(({ purpose }) => purpose === 'maskable'))
  for (const { src, type } of icons) {
    const icon = await get(src)
    assert.deepEqual([icon.statusCode, icon.headers['content-type']], [200, type], src)
  }
})

test('pages allow only GET, HEAD and OPTIONS', async () => {
  const { server } = await openTestDocket('sqlite')
  for (const url of ['/', '/sign-in', '/w/wsp_1/my', '/app/icon.svg']) {
    const head = await server.inject({ method: 'HEAD', url })
    assert.deepEqual([head.statusCode, head.body], [200, ''], url)
    const options = await server.inject({ method: 'OPTIONS', url })
    assert.deepEqual([options.statusCode, options.headers.allow], [204, 'GET, HEAD'], url)
    const posted = await server.inject({ method: 'POST', url })
    assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD'], url)
  }
})

test('the start page needs no script', async () => {
  const shown = await get('/')
  assert.equal(shown.statusCode, 200)
  assert.match(shown.body, /Numbered work, an honest API\.[\s\S]+href="\/sign-in"/)
})
