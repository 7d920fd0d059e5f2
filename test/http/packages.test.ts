import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { loadPackages } from '#http/packages/package-files.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'

test('offers the client library, the command line and the conformance kit as files, and lists them', async () => {
  const { server, config } = await openTestDocket('sqlite')
  const get = (url: string, headers = {}) => server.inject({ method: 'GET', url, headers })
  const packages = loadPackages()
  const names = ['docket-client', 'docket-cli', 'docket-conformance']
  assert.deepEqual(
    packages.map(({ name }) => name),
    names,
  )
  const page = await get('/docs/packages')
  assert.equal(page.statusCode, 200)
  for (const { file, sha256, integrity } of packages) {
    const url = `/docs/packages/${file}`
    const { statusCode, headers, rawPayload } = await get(url, { 'accept-encoding': 'gzip, br' })
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
    assert.equal((await get(url, { 'if-none-match': headers.etag })).statusCode, 304)
    for (const shown of [`${config.baseUrl}${url}`, sha256, integrity])
      assert.ok(page.body.includes(shown), shown)
  }
  assert.equal((await get('/docs/packages/packages.json')).statusCode, 404)
  const posted = await server.inject({ method: 'POST', url: '/docs/packages' })
  assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD'])
})
