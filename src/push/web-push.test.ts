import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { encryptPushMessage } from './encrypt-message.ts'
import { createVapidHeader } from './vapid.ts'

test('encrypts the message of RFC 8291, Appendix A', () => {
  const text = 'When I grow up, I want to be a watermelon'
  const subscription = {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const entropy = {
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
  }
  assert.equal(
    encryptPushMessage(text, subscription, entropy).toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6' +
      'TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

/** The token and the key of the example in RFC 8292 §2.4. */
const RFC_TOKEN =
  'eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA'
const RFC_KEY =
  'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs'

const jwkOf = (point: string) => {
  const bytes = Buffer.from(point, 'base64url')
  const x = bytes.subarray(1, 33).toString('base64url')
  return { kty: 'EC', crv: 'P-256', x, y: bytes.subarray(33).toString('base64url') }
}

/** Whether a token is signed by the key that a push service reads from the header. */
function isSigned(token: string, point: string): boolean {
  const at = token.lastIndexOf('.')
  const key = createPublicKey({ key: jwkOf(point), format: 'jwk' })
  const signature = Buffer.from(token.slice(at + 1), 'base64url')
  const signed = Buffer.from(token.slice(0, at))
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

test('signs the claims of the example in RFC 8292, so that its verifier accepts them', () => {
  assert.ok(isSigned(RFC_TOKEN, RFC_KEY), 'the verifier accepts the token of the RFC')
  // The key pair of RFC 8291, Appendix A: RFC 8292 does not tell its private key.
  const publicKey =
    'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
  const d = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
  const privateKey = createPrivateKey({ key: { ...jwkOf(publicKey), d }, format: 'jwk' })
  const header = createVapidHeader(
    { publicKey, privateKey },
    {
      endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
      contact: 'mailto:push@example.com',
      nowMs: (1_453_523_768 - 12 * 60 * 60) * 1_000,
    },
  )
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? []
  const unsigned = RFC_TOKEN.slice(0, RFC_TOKEN.lastIndexOf('.'))
  assert.equal(token.slice(0, token.lastIndexOf('.')), unsigned)
  assert.equal(key, publicKey)
  assert.ok(isSigned(token, key))
  assert.ok(!isSigned(token, RFC_KEY))
})
