import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletes, sorted } from './asked.ts'
import { placeOf } from './place.ts'

test('where a browser goes is told as a host, this computer, or an application', () => {
  const told = (uri: string) => Object.values(placeOf(uri)).join(' ')
  assert.equal(told('https://notes.example/cb?x=1'), 'web notes.example')
  assert.equal(told('https://127.0.0.1.evil.example/cb'), 'web 127.0.0.1.evil.example')
  assert.equal(told('https://localhost@evil.example/'), 'web evil.example')
  assert.equal(told('https://bücher.example/'), 'web xn--bcher-kva.example')
  assert.equal(told('http://127.0.0.1:4711/cb'), 'here 127.0.0.1:4711')
  assert.equal(told('http://[::1]:4711/cb'), 'here [::1]:4711')
  assert.equal(told('http://localhost/cb'), 'here localhost')
  assert.equal(told('com.example.app:/cb'), 'app com.example.app')
})

test('what is asked stands by kind of record, what destroys or sends out apart', () => {
  const names = ['tasks:read', 'tasks:write', 'tasks:delete', 'webhooks:read', 'webhooks:write']
  const scopes = names.map((name) => ({ name, description: `${name}!` })) as Parameters<
    typeof sorted
  >[0]
  const { usual, grave } = sorted(scopes)
  assert.deepEqual(usual, [
    { resource: 'tasks', sentences: ['tasks:read!', 'tasks:write!'] },
    { resource: 'webhooks', sentences: ['webhooks:read!'] },
  ])
  assert.deepEqual(grave, [
    { resource: 'tasks', sentences: ['tasks:delete!'] },
    { resource: 'webhooks', sentences: ['webhooks:write!'] },
  ])
  assert.equal(deletes(scopes), true)
  assert.equal(deletes(scopes.filter(({ name }) => name !== 'tasks:delete')), false)
})
