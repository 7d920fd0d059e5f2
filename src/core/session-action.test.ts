import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Id, StrictObject } from '#wire/schema-builders.ts'
import { sessionAction } from './session-action.ts'

const endpoint = {
  method: 'POST',
  path: '/internal/tags/:id/copy',
  scope: 'open',
  limit: 'unauthenticated',
  tag: 'Tags',
  summary: 'Copy a tag',
  grantsLastingAccess: false,
  params: StrictObject({ id: Id('tag') }),
  body: StrictObject({}),
  reply: StrictObject({}),
} as const

const define = (changed: object) =>
  sessionAction({ ...endpoint, ...changed }, async () => ({ reply: {} }))

test('accepts a complete session action', () => {
  assert.equal(define({}).allowsAnyOrigin, false)
  assert.equal(define({ scope: 'session', limit: 'access' }).endpoint.path, endpoint.path)
})

for (const [missing, changed] of [
  ['that it is for the web app', { path: '/api/v1/tags/:id/copy' }],
  ['who may use it', { scope: 'any' }],
  ['who may use it', { scope: undefined }],
  ['which budget it spends', { limit: 'session' }],
  ['which budget it spends', { scope: 'session', limit: 'none' }],
  ['how often it may be used', { limit: 'none' }],
  ['how often it may be used', { scope: 'session', limit: 'session' }],
  ['what is in its path', { params: undefined }],
  ['what is in its body', { body: undefined }],
  ['whether it grants lasting access', { grantsLastingAccess: undefined }],
] as const) {
  test(`rejects a session action that does not say ${missing}: ${JSON.stringify(changed)}`, () => {
    assert.throws(() => define(changed), new RegExp(`does not say ${missing}$`))
  })
}
