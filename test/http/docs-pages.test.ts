import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUIDES, guidePath } from '#http/api-reference/guides/guide-files.ts'
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
