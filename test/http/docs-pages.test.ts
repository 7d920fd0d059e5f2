import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { GUIDES, guidePath } from '#http/api-reference/guides/guide-files.ts'
import { loadPackages } from '#http/packages/package-files.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'

const request = async (
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'POST' = 'GET',
) => (await openTestDocket('sqlite')).server.inject({ url, method, headers })

test('every page of the docs has an ETag, and is not sent again to a client that has it', async () => {
  const paths = ['/docs', '/docs/errors', '/docs/search.json']
  for (const path of [...paths, ...GUIDES.map(({ slug }) => guidePath(slug))]) {
    const first = await request(path)
    assert.equal(first.statusCode, 200, path)
    const etag = String(first.headers.etag)
    assert.match(etag, /^"[\w-]{22}"$/, path)
    assert.equal((await request(path, { 'if-none-match': '"other"' })).statusCode, 200, path)
    const again = await request(path, { 'if-none-match': etag })
    assert.deepEqual([again.statusCode, again.body], [304, ''], path)
    assert.equal(again.headers.etag, etag)
  }
})

test('addresses near the docs redirect to their pages', async () => {
  for (const [path, target] of [
    ['/docs/', '/docs'],
    ['/docs/guides', '/docs'],
    ['/docs/guides/', '/docs'],
    ['/docs/errors/', '/docs/errors'],
    ['/docs/guides/webhooks/', '/docs/guides/webhooks'],
  ] as const) {
    const reply = await request(path)
    assert.deepEqual([reply.statusCode, reply.headers.location], [302, target], path)
    assert.equal((await request(target)).statusCode, 200)
    assert.equal((await request(path, {}, 'POST')).statusCode, 405)
  }
})

test('a guide that does not exist is a 404 page, and guides are only read', async () => {
  const missing = await request('/docs/guides/nowhere')
  assert.equal(missing.statusCode, 404)
  assert.match(missing.body, /There is nothing here/)
  assert.equal((await request('/docs/guides/webhooks', {}, 'POST')).statusCode, 405)
})

test('/status says in words what /readyz replies', async () => {
  const reply = await request('/status')
  assert.equal(reply.statusCode, 200)
  assert.match(String(reply.headers['content-type']), /^text\/html/)
  assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'/)
  assert.match(reply.body, /Docket is ready\.[\s\S]+version \d/)
})

test('all docs are there as Markdown, and each link of /llms.txt leads to a page', async () => {
  const index = await request('/llms.txt')
  assert.equal(index.statusCode, 200)
  const links = [...index.body.matchAll(/\]\((http[^)]+)\)/g)].map(([, url = '']) => new URL(url))
  assert.ok(links.length > GUIDES.length + 40, `${links.length} links`)
  for (const { pathname } of links) {
    const page = await request(pathname)
    assert.equal(page.statusCode, 200, pathname)
    if (!pathname.endsWith('.md')) continue
    assert.equal(page.headers['content-type'], 'text/markdown; charset=utf-8', pathname)
    assert.match(page.body, /^# /, pathname)
    assert.ok(!/\{\{base|<(?:code|span)\b|&(?:lt|quot);/.test(page.body), pathname)
    // The page for people says where its Markdown is.
    const shown = await request(pathname.replace(/\.md$/, ''))
    assert.match(shown.body, new RegExp(`rel="alternate"[^>]+href="${pathname}"`), pathname)
  }
  assert.match((await request('/docs/operations/createTask.md')).body, /`project_id` \(required\)/)
  for (const path of ['/docs/operations/nowhere', '/docs/operations/nowhere.md'])
    assert.equal((await request(path)).statusCode, 404)
})

test('/api/v1 lists the endpoints, and an unknown address names the one that was meant', async () => {
  const index = await request('/api/v1')
  assert.equal(index.statusCode, 200)
  assert.equal(index.headers['access-control-allow-origin'], '*')
  const { endpoints, docs_url } = JSON.parse(index.body)
  assert.match(docs_url, /\/docs$/)
  const members = { method: 'GET', path: '/api/v1/workspace/members', summary: 'List members' }
  assert.deepEqual(
    endpoints.find(({ path }: { path: string }) => path === members.path),
    members,
  )
  assert.equal((await request('/api/v1', {}, 'POST')).statusCode, 405)
  const messageOf = async (path: string) => {
    const reply = await request(path)
    assert.equal(reply.statusCode, 404, path)
    assert.equal(JSON.parse(reply.body).error.code, 'route_not_found')
    return JSON.parse(reply.body).error.message
  }
  assert.match(await messageOf('/api/v1/members'), /Did you mean `\/api\/v1\/workspace\/members`\?/)
  assert.match(await messageOf('/api/v1/nothing'), /path\. `GET \/api\/v1` lists all endpoints/)
  assert.match(await messageOf('/api/v1/projects/'), /none at the end/)
  // What only the web app uses is not named.
  assert.doesNotMatch(await messageOf('/internal/members'), /Did you mean/)
})

test('offers the client library, the command line and the conformance kit as files, and lists them', async () => {
  const { server, config } = await openTestDocket('sqlite')
  const packages = loadPackages()
  const names = ['docket-client', 'docket-cli', 'docket-conformance']
  assert.deepEqual(
    packages.map(({ name }) => name),
    names,
  )
  const page = await request('/docs/packages')
  assert.equal(page.statusCode, 200)
  for (const { file, sha256, integrity } of packages) {
    const url = `/docs/packages/${file}`
    const { statusCode, headers, rawPayload } = await request(url, {
      'accept-encoding': 'gzip, br',
    })
    assert.equal(statusCode, 200)
    assert.partialDeepStrictEqual(headers, {
      'content-type': 'application/gzip',
      'content-length': String(rawPayload.length),
      'cache-control': 'no-cache',
    })
    assert.equal(headers['content-encoding'], undefined)
    const hash = (name: string) => createHash(name).update(rawPayload)
    assert.equal(hash('sha256').digest('hex'), sha256)
    assert.equal(`sha512-${hash('sha512').digest('base64')}`, integrity)
    assert.equal((await request(url, { 'if-none-match': String(headers.etag) })).statusCode, 304)
    for (const shown of [`${config.baseUrl}${url}`, sha256, integrity])
      assert.ok(page.body.includes(shown), shown)
  }
  assert.equal((await request('/docs/packages/packages.json')).statusCode, 404)
  const posted = await server.inject({ method: 'POST', url: '/docs/packages' })
  assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD'])
})

test('documentation pages load no resources from other origins', async () => {
  for (const url of ['/', '/status', '/docs', '/docs/errors', '/docs/guides/quickstart']) {
    const reply = await request(url)
    assert.equal(reply.statusCode, 200, url)
    assert.match(String(reply.headers['content-type']), /^text\/html/)
    assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'/)
    const assets = [...reply.body.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)]
    assert.ok(assets.length > 0, url)
    for (const [, asset = ''] of assets) assert.equal((await request(asset)).statusCode, 200, asset)
    assert.doesNotMatch(reply.body, /<(?:script|link|img)[^>]+(?:src|href)="https?:/)
  }
})
