import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fields, Id } from '#wire/schema.ts'
import { door } from './door.ts'

const whole = {
  method: 'POST',
  path: '/internal/tags/:id/copy',
  scope: 'open',
  limit: 'none',
  tag: 'Tags',
  summary: 'Copy a tag',
  params: Fields({ id: Id('tag') }),
  body: Fields({}),
  reply: Fields({}),
} as const

const made = (changed: object) => door({ ...whole, ...changed }, async () => ({ reply: {} }))

test('a door that says all that it must is taken', () => {
  assert.equal(made({}).anyOrigin, false)
  assert.equal(made({ scope: 'session', limit: 'session' }).endpoint.path, whole.path)
})

for (const [lack, changed] of [
  ['that it is for the web app', { path: '/api/v1/tags/:id/copy' }],
  ['who may use it', { scope: 'any' }],
  ['who may use it', { scope: undefined }],
  ['which budget it spends', { limit: 'session' }],
  ['which budget it spends', { scope: 'session' }],
  ['what is in its path', { params: undefined }],
  ['what is in its body', { body: undefined }],
] as const) {
  test(`a door that does not say ${lack} does not load: ${JSON.stringify(changed)}`, () => {
    assert.throws(() => made(changed), new RegExp(`does not say ${lack}$`))
  })
}
