import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAddressAllowed, isCidr } from './ip-address.ts'

const NOTHING = { networks: [], loopback: false }
const allowed = (text: string) => isAddressAllowed(text, NOTHING)

/** The first and the last address of every refused range, and the public ones beside it. */
const EDGES: [before: string | null, first: string, last: string, after: string | null][] = [
  [null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['223.255.255.255', '224.0.0.0', '239.255.255.255', null],
  [null, '240.0.0.0', '255.255.255.255', null],
  [null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  [
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  [
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2003::',
  ],
  [
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ],
  [
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '4000::',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    null,
  ],
]

for (const [before, first, last, after] of EDGES) {
  test(`blocks ${first} to ${last} and allows the addresses next to it`, () => {
    assert.deepEqual([first, last].map(allowed), [false, false])
    for (const beside of [before, after]) if (beside !== null) assert.ok(allowed(beside), beside)
  })
}

test('blocks the metadata services of clouds, even within an allowed network', () => {
  const services = [
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '::ffff:169.254.169.254',
    '64:ff9b::168.63.129.16',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '::100.100.100.200',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
  ]
  const networks = ['0.0.0.0/0', '::/0', '168.63.129.16/32', 'fd00::/8']
  for (const address of services) {
    assert.equal(allowed(address), false, address)
    assert.equal(isAddressAllowed(address, { networks, loopback: true }), false, address)
  }
  for (const beside of ['168.63.129.15', '168.63.129.17']) assert.ok(allowed(beside), beside)
  for (const inside of [
    '64:ff9b::8.8.8.8',
    '2002:808:808::',
    'fd00:ec1::1',
    '100.100.100.201',
    '10.0.0.1',
    '127.0.0.1',
  ]) {
    assert.ok(isAddressAllowed(inside, { networks, loopback: false }), inside)
  }
})

test('blocks private IPv4 addresses embedded in IPv6', () => {
  const wrapped = [
    '::ffff:10.0.0.1',
    '::ffff:0a00:1',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
  ]
  for (const text of [...wrapped, '::1', 'fe80::1', 'fc00::1', 'ff02::1', '::ffff:8.8.8.8']) {
    assert.equal(allowed(text), false, text)
  }
})

test('blocks invalid and ambiguous addresses', () => {
  const odd = [
    '',
    '8.8.8',
    '8.8.8.8.',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '256.8.8.8',
    ' 8.8.8.8',
  ]
  const odd6 = [
    '2600',
    '2600:::1',
    '2600::1::1',
    '[2600::1]',
    '2600::1%eth0',
    '2600::g',
    ':2600::1',
  ]
  const odd46 = [
    '2600::1:8.8.8',
    '2600::8.8.8.8:1',
    '1:2:3:4:5:6:7::8:9',
    '2600::12345',
    '2600:1:2',
  ]
  for (const text of [...odd, ...odd6, ...odd46]) assert.equal(allowed(text), false, text)
  const loopback = { networks: ['0.0.0.0/0', '::/0'], loopback: true }
  for (const text of [...odd, ...odd6, ...odd46])
    assert.equal(isAddressAllowed(text, loopback), false)
})

test('allows the networks of the allowlist, and loopback if enabled', () => {
  const inner = { networks: ['10.1.0.0/16', 'fd00::/8', 'nonsense'], loopback: false }
  const some = ['10.1.2.3', '10.2.0.0', 'fd12::1', 'fe80::1', '::ffff:10.1.2.3', '127.0.0.1']
  assert.deepEqual(
    some.filter((text) => isAddressAllowed(text, inner)),
    ['10.1.2.3', 'fd12::1'],
  )
  const here = { networks: [], loopback: true }
  const near = ['127.0.0.1', '127.255.0.1', '::1', '::2', '0.0.0.0', '::ffff:127.0.0.1', '10.0.0.1']
  assert.deepEqual(
    near.filter((text) => isAddressAllowed(text, here)),
    ['127.0.0.1', '127.255.0.1', '::1'],
  )
})

test('parses CIDR notation', () => {
  for (const text of ['10.0.0.0/8', '10.1.2.3/32', '0.0.0.0/0', '::/0', 'fd00::/128']) {
    assert.ok(isCidr(text), text)
  }
  for (const text of [
    '10/8',
    '10.0.0.0',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/-1',
  ]) {
    assert.equal(isCidr(text), false, text)
  }
})

test('parses addresses as the operating system does', () => {
  // Not `isAddressAllowed`, which no allowlist makes true for metadata such as fe80::/10.
  const isAddress = (text: string) => isCidr(`${text}/0`)
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), isAddress))
  const near = fc.array(fc.constantFrom(...'0123:.af::'), { maxLength: 18 })
  fc.assert(
    fc.property(near, (parts) => {
      const text = parts.join('')
      assert.equal(isAddress(text), isIP(text) !== 0, text)
    }),
    { numRuns: 2_000 },
  )
})

test('treats equal addresses in different notations alike', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const { hostname } = new URL(`http://[${text}]/`)
      assert.equal(allowed(hostname.slice(1, -1)), allowed(text))
    }),
  )
})
