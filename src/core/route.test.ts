import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fields, Id } from '#wire/schema.ts'
import { anyone, route } from './route.ts'

const id = Id('tag')
const whole = {
  method: 'POST',
  path: '/api/v1/tags/:id/copy',
  scope: 'tags:write',
  limit: 'workspace',
  tag: 'Tags',
  summary: 'Copy a tag',
  params: Fields({ id }),
  body: Fields({}),
  reply: Fields({ id }),
  status: 201,
  location: '/api/v1/tags/:id',
} as const

const made = (changed: object, subject: unknown = anyone) =>
  route({ ...whole, ...changed }, subject as typeof anyone, async () => ({ id: 'tag_x' }))

test('a route that says all that it must is taken', () => {
  assert.equal(made({}).endpoint.path, whole.path)
  const me = { path: '/api/v1/me', method: 'GET', scope: 'any', status: undefined }
  assert.equal(made({ ...me, params: undefined, body: undefined }).endpoint.scope, 'any')
  assert.equal(
    made({ method: 'DELETE', body: undefined, reply: undefined }).endpoint.method,
    'DELETE',
  )
})

for (const [lack, changed, subject] of [
  ['which scope it needs', { scope: undefined }],
  ['which scope it needs', { scope: 'tags' }],
  ['which scope it needs', { scope: 'any' }],
  ['who may use it', {}, null],
  ['which budget it spends', { limit: undefined }],
  ['what is in its path', { params: undefined }],
  ['what is in its body', { body: undefined }],
  ['what it replies', { reply: undefined }],
  ['where the record is that it makes', { location: undefined }],
] as const) {
  test(`a route that does not say ${lack} does not load: ${JSON.stringify(changed)}`, () => {
    assert.throws(() => made(changed, subject), new RegExp(`does not say ${lack}$`))
  })
}
