import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areAddressesAllowed, parseDestination } from './connection-pools.ts'

const STRICT = { allowHttp: false, loopback: false, networks: [] }

test('parses the destination of a URL without its credentials and fragment', () => {
  assert.deepEqual(parseDestination('https://me:x@Hooks.Example:8443/a/../b?c=d#e', STRICT), {
    origin: 'https://hooks.example:8443',
    hostname: 'hooks.example',
    path: '/b?c=d',
    addresses: undefined,
  })
  assert.deepEqual(parseDestination('https://8.8.8.8', STRICT)?.addresses, ['8.8.8.8'])
  assert.deepEqual(parseDestination('https://[2606:4700::1111]/', STRICT)?.addresses, [
    '2606:4700::1111',
  ])
})

test('allows http only where the settings do, and never another protocol', () => {
  const url = 'http://hooks.example/'
  assert.equal(parseDestination(url, STRICT), undefined)
  assert.ok(parseDestination(url, { ...STRICT, allowHttp: true }))
  assert.ok(parseDestination(url, { ...STRICT, loopback: true }))
  const all = { allowHttp: true, loopback: true, networks: ['0.0.0.0/0', '::/0'] }
  for (const odd of ['ftp://hooks.example/', 'ws://8.8.8.8/', 'file:///etc', 'data:,x', '', 'x']) {
    assert.equal(parseDestination(odd, all), undefined, odd)
  }
})

test('checks addresses against the current settings', () => {
  const url = 'https://10.1.2.3/'
  assert.equal(parseDestination(url, STRICT), undefined)
  assert.deepEqual(parseDestination(url, { ...STRICT, networks: ['10.1.0.0/16'] })?.addresses, [
    '10.1.2.3',
  ])
  const loopback = parseDestination('https://localhost/', { ...STRICT, networks: ['127.0.0.0/8'] })
  assert.deepEqual(loopback?.addresses, ['127.0.0.1'])
  assert.equal(parseDestination('https://8.8.8.8:0/', STRICT), undefined, 'port 0')
})

test('refuses a name with one forbidden address', () => {
  assert.ok(areAddressesAllowed(['8.8.8.8', '2606:4700::1111'], STRICT))
  assert.equal(areAddressesAllowed(['8.8.8.8', '10.0.0.1'], STRICT), false)
  assert.equal(areAddressesAllowed(['::ffff:8.8.8.8'], STRICT), false)
})
