import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'

test('a reply of 1 KiB and more is compressed as the client allows', async () => {
  const { storage, server } = await docketOn('sqlite')
  const { keys } = await newHome(storage)
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

test('a reply with a secret is not compressed, the same record without it is', async () => {
  const { storage, server } = await docketOn('sqlite')
  const { keys } = await newHome(storage)
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
