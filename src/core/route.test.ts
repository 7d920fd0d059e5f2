import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Id, StrictObject } from '#wire/schema-builders.ts'
import { allowAnyRole, readRoute, writeRoute } from './route.ts'

const id = Id('tag')
const endpoint = {
  method: 'POST',
  path: '/api/v1/tags/:id/copy',
  scope: 'tags:write',
  limit: 'workspace',
  tag: 'Tags',
  summary: 'Copy a tag',
  grantsLastingAccess: false,
  params: StrictObject({ id }),
  body: StrictObject({}),
  reply: StrictObject({ id }),
  status: 201,
  location: '/api/v1/tags/:id',
} as const

const define = (changed: object, load: unknown = allowAnyRole) =>
  writeRoute({ ...endpoint, ...changed }, load as typeof allowAnyRole, async () => ({
    id: 'tag_x',
  }))

test('accepts a complete route', () => {
  assert.equal(define({}).endpoint.path, endpoint.path)
  const { params: _, body: __, status: ___, grantsLastingAccess: ____, ...read } = endpoint
  const me = { ...read, path: '/api/v1/me', method: 'GET', scope: 'any' } as const
  assert.equal(readRoute(me, allowAnyRole, async () => ({ id: 'tag_x' })).endpoint.scope, 'any')
  assert.equal(
    define({ method: 'DELETE', body: undefined, reply: undefined }).endpoint.method,
    'DELETE',
  )
})

for (const [missing, changed, load] of [
  ['which scope it needs', { scope: undefined }],
  ['which scope it needs', { scope: 'tags' }],
  ['which scope it needs', { scope: 'any' }],
  ['who may use it', {}, null],
  ['which budget it spends', { limit: undefined }],
  ['what is in its path', { params: undefined }],
  ['what is in its body', { body: undefined }],
  ['what it replies', { reply: undefined }],
  ['where the record is that it makes', { location: undefined }],
  ['how much it takes', { upload: true }],
  ['that it is a write', { method: 'GET' }],
] as const) {
  test(`rejects a route that does not say ${missing}: ${JSON.stringify(changed)}`, () => {
    assert.throws(() => define(changed, load), new RegExp(`does not say ${missing}$`))
  })
}
