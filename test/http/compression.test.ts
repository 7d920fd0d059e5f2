import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

test('compresses responses of 1 KiB and more by Accept-Encoding', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys } = await createTestWorkspace(storage)
  const get = (accept?: string, url = '/api/v1/projects') =>
    server.inject({
      url,
      headers: {
        authorization: `Bearer ${keys.owner}`,
        ...(accept !== undefined && { 'accept-encoding': accept }),
      },
    })
  const plain = await get()
  assert.ok(plain.rawPayload.length > 1_024)
  const codings: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
  ]
  for (const [accept, coding] of codings) {
    const { headers, rawPayload } = await get(accept)
    assert.equal(headers['content-encoding'], coding, `to ${accept}`)
    assert.equal(headers.vary, 'Accept-Encoding')
    assert.equal(Number(headers['content-length']), rawPayload.length)
    const text =
      coding === 'br'
        ? brotliDecompressSync(rawPayload)
        : coding === 'gzip'
          ? gunzipSync(rawPayload)
          : rawPayload
    assert.equal(text.toString(), plain.payload)
  }
  const small = await get('br', '/api/v1/projects?limit=x')
  assert.equal(small.headers['content-encoding'], undefined)
  assert.equal(small.headers.vary, 'Accept-Encoding')
})

const CODINGS = ['identity', 'gzip', 'br'] as const

test('tags each content coding of a record, and accepts every tag', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys, project } = await createTestWorkspace(storage)
  const send = async (
    method: 'GET' | 'HEAD' | 'POST' | 'PATCH',
    url: string,
    headers: Record<string, string>,
    body?: object,
  ) => {
    const reply = await server.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${keys.owner}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { payload: JSON.stringify(body) }),
    })
    const { etag = '', 'content-encoding': coding = 'identity' } = reply.headers
    return { status: reply.statusCode, etag: String(etag), coding, reply }
  }
  const input = { project_id: project, title: 'Long', description: 'x'.repeat(2_000) }
  const key = { 'idempotency-key': 'long' }
  const created = await send('POST', '/api/v1/tasks', key, input)
  const path = `/api/v1/tasks/${created.reply.json().id}`
  const tags = new Map<string, string>()
  for (const coding of CODINGS) {
    const accept = { 'accept-encoding': coding }
    const got = await send('GET', path, accept)
    assert.equal(got.coding, coding)
    assert.match(got.etag, /^"1-[0-9a-f]{8}"$/)
    const head = await send('HEAD', path, accept)
    assert.deepEqual([head.etag, head.coding], [got.etag, coding])
    const any = await send('GET', path, { ...accept, 'if-none-match': '*' })
    assert.deepEqual([any.status, any.etag], [304, got.etag])
    const repeated = await send('POST', '/api/v1/tasks', { ...key, ...accept }, input)
    assert.deepEqual([repeated.status, repeated.etag], [201, got.etag])
    tags.set(coding, got.etag)
  }
  assert.equal(new Set(tags.values()).size, 3, 'equal strong tags promise equal bytes')
  assert.equal(created.etag, tags.get('identity'))

  for (const coding of CODINGS) {
    const accept = { 'accept-encoding': coding }
    for (const tag of tags.values()) {
      for (const known of [tag, `W/${tag}`]) {
        const same = await send('GET', path, { ...accept, 'if-none-match': known })
        assert.deepEqual([same.status, same.etag], [304, tag], `${known} with ${coding}`)
        const matching = await send('PATCH', path, { ...accept, 'if-match': known }, {})
        assert.deepEqual([matching.status, matching.etag], [200, tags.get(coding)])
      }
    }
  }
  const changed = await send('PATCH', path, { 'if-match': tags.get('gzip') ?? '' }, { title: 'y' })
  assert.equal(changed.status, 200)
  for (const tag of tags.values()) {
    const stale = await send('PATCH', path, { 'if-match': tag }, { title: 'z' })
    assert.equal(stale.status, 412)
    const gzip = { 'accept-encoding': 'gzip' }
    assert.equal((await send('GET', path, { ...gzip, 'if-none-match': tag })).status, 200)
  }
})

test('tags each content coding of the pages and of the OpenAPI document', async () => {
  const { server } = await openTestDocket('sqlite')
  for (const url of ['/docs/guides/quickstart', '/docs/errors', '/api/v1/openapi.json']) {
    const tags: string[] = []
    for (const coding of CODINGS) {
      const { headers } = await server.inject({ url, headers: { 'accept-encoding': coding } })
      assert.equal(headers['content-encoding'] ?? 'identity', coding)
      tags.push(String(headers.etag))
    }
    assert.equal(new Set(tags).size, 3, `${url}: ${tags}`)
    for (const tag of tags) {
      const same = await server.inject({ url, headers: { 'if-none-match': `W/${tag}` } })
      assert.deepEqual([same.statusCode, same.headers.etag], [304, tag])
    }
  }
})

test('does not compress a response that contains a secret (BREACH)', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const { keys } = await createTestWorkspace(storage)
  const ask = (method: 'GET' | 'POST', url: string, body?: object) =>
    server.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${keys.owner}`,
        'accept-encoding': 'br, gzip',
        'content-type': 'application/json',
      },
      ...(body && { payload: JSON.stringify(body) }),
    })
  const url = `https://example.com/${'a'.repeat(1_500)}`
  const made = await ask('POST', '/api/v1/webhooks', { url, events: ['*'] })
  assert.deepEqual([made.statusCode, made.headers['content-encoding']], [201, undefined])
  const { id } = made.json()
  const rotated = await ask('POST', `/api/v1/webhooks/${id}/rotate-secret`, {})
  assert.deepEqual([rotated.statusCode, rotated.headers['content-encoding']], [200, undefined])
  assert.equal((await ask('GET', `/api/v1/webhooks/${id}`)).headers['content-encoding'], 'br')
})
