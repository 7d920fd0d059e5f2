import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { publicRoutes as routes } from '#server/app.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'

const get = async (url: string) => (await openTestDocket('sqlite')).server.inject(url)

test('the OpenAPI document needs no credential and is valid', async () => {
  const reply = await get('/api/v1/openapi.json')
  assert.equal(reply.statusCode, 200)
  assert.equal(reply.headers['x-ratelimit-limit'], undefined)
  const result = await new Validator().validate(reply.json())
  assert.deepEqual(result, { valid: true })
})

test('the OpenAPI document has every served route with its scope and schemas', async () => {
  const { paths, components } = (await get('/api/v1/openapi.json')).json()
  for (const { endpoint } of routes) {
    const { method, scope, body, reply, query } = endpoint
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const operation = paths[path]?.[method.toLowerCase()]
    assert.ok(operation, `${method} ${path}`)
    assert.equal(operation['x-scope'] ?? 'any', scope)
    const fields = Object.keys((body as { properties?: object } | undefined)?.properties ?? {})
    assert.equal(Boolean(operation.requestBody), fields.length > 0, `${method} ${path}`)
    const success = operation.responses[endpoint.status ?? (reply ? 200 : 204)]
    assert.equal(Boolean(success?.content), Boolean(reply))
    const names = operation.parameters.map(
      ({ name, $ref = '' }: { name?: string; $ref?: string }) =>
        name ?? components.parameters[$ref.replace('#/components/parameters/', '')].name,
    )
    const parameters = Object.keys((query as { properties?: object } | undefined)?.properties ?? {})
    for (const name of parameters) assert.ok(names.includes(name), `${name} of ${method} ${path}`)
  }
  for (const record of ['Task', 'Project', 'Comment', 'TimeEntry', 'Tag', 'Member', 'Webhook']) {
    assert.ok(components.schemas[record], record)
  }
})

test('documentation pages load no resources from other origins', async () => {
  for (const url of ['/', '/status', '/docs', '/docs/errors', '/docs/guides/quickstart']) {
    const reply = await get(url)
    assert.equal(reply.statusCode, 200, url)
    assert.match(String(reply.headers['content-type']), /^text\/html/)
    assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'/)
    const assets = [...reply.body.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)]
    assert.ok(assets.length > 0, url)
    for (const [, asset = ''] of assets) assert.equal((await get(asset)).statusCode, 200, asset)
    assert.doesNotMatch(reply.body, /<(?:script|link|img)[^>]+(?:src|href)="https?:/)
  }
  const missing = await get('/no/such/page')
  assert.equal(missing.statusCode, 404)
  assert.match(missing.body, /<html/)
})
