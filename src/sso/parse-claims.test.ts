import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseClaims } from './sso-provider.ts'

const ISSUER = 'https://sign-in.example'
const ENTRA = 'https://login.microsoftonline.com/7f3a/v2.0'
const parse = (raw: Record<string, unknown>, issuer = ISSUER) => parseClaims(raw, issuer, 'ada')

test('an address counts only if the provider says that it is verified', () => {
  const email = 'Ada@Example.com'
  for (const email_verified of [true, 'true'])
    assert.equal(parse({ email, email_verified }).email, 'ada@example.com')
  for (const email_verified of [undefined, false, 'false', 'yes', 1, null])
    assert.equal(parse({ email, email_verified }).email, null)
})

test('Entra ID says by a claim of its own whether the domain of an address is verified', () => {
  const email = 'ada@example.com'
  for (const xms_edov of [true, 'true', 1, '1'])
    assert.equal(parse({ email, xms_edov }, ENTRA).email, email)
  for (const xms_edov of [undefined, false, 'false', 0, '0', 'true '])
    assert.equal(parse({ email, xms_edov }, ENTRA).email, null)
  // Other providers may let their customers set any claim.
  for (const issuer of [ISSUER, 'https://login.microsoftonline.com.evil.example/'])
    assert.equal(parse({ email, xms_edov: true }, issuer).email, null)
})

test('what is no address is none, and a name is found without one', () => {
  const email_verified = true
  for (const email of ['ada', 'ada@', 'a b@example.com', `${'a'.repeat(250)}@example.com`, 7])
    assert.equal(parse({ email, email_verified }).email, null)
  const nameOf = (raw: Record<string, unknown>) => parse({ email_verified, ...raw }).name
  assert.equal(nameOf({ name: ' Ada\u0007 L ' }), 'Ada  L')
  assert.equal(nameOf({ preferred_username: 'ada.l' }), 'ada.l')
  assert.equal(nameOf({ email: 'ada@example.com' }), 'ada')
  assert.equal(nameOf({}), 'Somebody')
  assert.equal([...nameOf({ name: '🙂'.repeat(120) })].length, 100)
})
