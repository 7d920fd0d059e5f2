import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { crc32Hex, isToken, newPassword, newToken, newWebhookSecret } from './token.ts'

const golden = 'dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dp'

test('accepts the checksum of the example in the specification', () => {
  assert.ok(isToken('dkt_', golden))
  assert.ok(!isToken('dcs_', golden))
})

test('rejects tokens with a changed, added or missing character', () => {
  const changes = fc.record({
    at: fc.nat({ max: golden.length - 1 }),
    character: fc.constantFrom(...'0123456789AZaz_-é'),
  })
  fc.assert(
    fc.property(changes, ({ at, character }) => {
      const changed = golden.slice(0, at) + character + golden.slice(at + 1)
      assert.equal(isToken('dkt_', changed), changed === golden)
    }),
  )
  for (const text of ['', 'dkt_', golden.slice(0, -1), `${golden}0`, `${golden}\n`, ` ${golden}`]) {
    assert.ok(!isToken('dkt_', text), text)
  }
})

test('creates well-formed, unique tokens', () => {
  const tokens = Array.from({ length: 2000 }, () => newToken('dcs_'))
  assert.equal(new Set(tokens).size, tokens.length)
  for (const token of tokens) {
    assert.match(token, /^dcs_[0-9A-Za-z]{38}$/)
    assert.ok(isToken('dcs_', token))
  }
})

test('draws all characters of the alphabet equally often', () => {
  const drawn = new Map<string, number>()
  for (let n = 0; n < 2000; n += 1) {
    for (const character of newToken('dkt_').slice(4, 36)) {
      drawn.set(character, (drawn.get(character) ?? 0) + 1)
    }
  }
  assert.equal(drawn.size, 62)
  for (const [character, times] of drawn) {
    assert.ok(times > 800 && times < 1270, `${character} was drawn ${times} times`)
  }
})

test('creates passwords of 20 unambiguous characters', () => {
  for (let n = 0; n < 200; n += 1) assert.match(newPassword(), /^[2-9A-HJ-NP-Za-km-z]{20}$/)
  assert.notEqual(newPassword(), newPassword())
})

test('formats CRC-32 as eight hexadecimal digits', () => {
  assert.equal(crc32Hex('123456789'), 'cbf43926')
  assert.equal(crc32Hex(''), '00000000')
})

test('creates webhook secrets of 24 random bytes', () => {
  const secrets = new Set(Array.from({ length: 100 }, newWebhookSecret))
  assert.equal(secrets.size, 100)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{32}$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 24)
  }
})
