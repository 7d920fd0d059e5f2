import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from './web-origin.ts'

test('recognizes every loopback name and address, with and without a port', () => {
  const names = ['localhost', 'docket.localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'LOCALHOST']
  for (const name of names) assert.deepEqual([name, `${name}:4000`].map(isLoopback), [true, true])
  assert.ok(isLoopback('::1'), 'the form used in DOCKET_HOST')
})

test('rejects names and addresses that only resemble loopback', () => {
  const others = ['localhost.example.com', '127.0.0.1.example.com', '10.0.0.1', '[::2]', '::2', '']
  for (const name of others) assert.deepEqual([name, `${name}:1`].map(isLoopback), [false, false])
  assert.equal(isLoopback(undefined), false)
})
