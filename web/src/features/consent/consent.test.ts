import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRedirectTarget } from './redirect-target.ts'
import { groupScopes, hasDeleteScope } from './scope-groups.ts'

test('describes a redirect URI as a web host, a loopback address or an app scheme', () => {
  const targetText = (uri: string) => Object.values(parseRedirectTarget(uri)).join(' ')
  assert.equal(targetText('https://notes.example/cb?x=1'), 'web notes.example')
  assert.equal(targetText('https://127.0.0.1.evil.example/cb'), 'web 127.0.0.1.evil.example')
  assert.equal(targetText('https://localhost@evil.example/'), 'web evil.example')
  assert.equal(targetText('https://bücher.example/'), 'web xn--bcher-kva.example')
  assert.equal(targetText('http://127.0.0.1:4711/cb'), 'here 127.0.0.1:4711')
  assert.equal(targetText('http://[::1]:4711/cb'), 'here [::1]:4711')
  assert.equal(targetText('http://localhost/cb'), 'here localhost')
  assert.equal(targetText('com.example.app:/cb'), 'app com.example.app')
})

test('groups the requested scopes by resource, with deletion and webhooks apart', () => {
  const names = ['tasks:read', 'tasks:write', 'tasks:delete', 'webhooks:read', 'webhooks:write']
  const scopes = names.map((name) => ({ name, description: `${name}!` })) as Parameters<
    typeof groupScopes
  >[0]
  const { usual, grave } = groupScopes(scopes)
  assert.deepEqual(usual, [
    { resource: 'tasks', sentences: ['tasks:read!', 'tasks:write!'] },
    { resource: 'webhooks', sentences: ['webhooks:read!'] },
  ])
  assert.deepEqual(grave, [
    { resource: 'tasks', sentences: ['tasks:delete!'] },
    { resource: 'webhooks', sentences: ['webhooks:write!'] },
  ])
  assert.equal(hasDeleteScope(scopes), true)
  assert.equal(hasDeleteScope(scopes.filter(({ name }) => name !== 'tasks:delete')), false)
})
