import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allAllowed, targetOf } from './guard.ts'

const STRICT = { allowHttp: false, loopback: false, networks: [] }

test('a target is what the URL says, without user and fragment', () => {
  assert.deepEqual(targetOf('https://me:x@Hooks.Example:8443/a/../b?c=d#e', STRICT), {
    origin: 'https://hooks.example:8443',
    hostname: 'hooks.example',
    path: '/b?c=d',
    addresses: undefined,
  })
  assert.deepEqual(targetOf('https://8.8.8.8', STRICT)?.addresses, ['8.8.8.8'])
  assert.deepEqual(targetOf('https://[2606:4700::1111]/', STRICT)?.addresses, ['2606:4700::1111'])
})

test('without encryption only where that is allowed, and never by another protocol', () => {
  const url = 'http://hooks.example/'
  assert.equal(targetOf(url, STRICT), undefined)
  assert.ok(targetOf(url, { ...STRICT, allowHttp: true }))
  assert.ok(targetOf(url, { ...STRICT, loopback: true }))
  const all = { allowHttp: true, loopback: true, networks: ['0.0.0.0/0', '::/0'] }
  for (const odd of ['ftp://hooks.example/', 'ws://8.8.8.8/', 'file:///etc', 'data:,x', '', 'x']) {
    assert.equal(targetOf(odd, all), undefined, odd)
  }
})

test('what is allowed now counts, not what was when the webhook was made', () => {
  const url = 'https://10.1.2.3/'
  assert.equal(targetOf(url, STRICT), undefined)
  assert.deepEqual(targetOf(url, { ...STRICT, networks: ['10.1.0.0/16'] })?.addresses, ['10.1.2.3'])
  const here = targetOf('https://localhost/', { ...STRICT, networks: ['127.0.0.0/8'] })
  assert.deepEqual(here?.addresses, ['127.0.0.1'])
})

test('one bad address among those of a name is too much', () => {
  assert.ok(allAllowed(['8.8.8.8', '2606:4700::1111'], STRICT))
  assert.equal(allAllowed(['8.8.8.8', '10.0.0.1'], STRICT), false)
  assert.equal(allAllowed(['::ffff:8.8.8.8'], STRICT), false)
})
