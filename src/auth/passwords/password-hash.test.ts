import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashPassword, parsePasswordHash, verifyPassword } from './password-hash.ts'

test('hashes passwords with argon2id at the specified cost and a random salt', async () => {
  const [one, other] = await Promise.all(['correct horse', 'correct horse'].map(hashPassword))
  assert.notEqual(one, other)
  const [, kind, version, cost, salt = '', tag] = (one ?? '').split('$')
  assert.deepEqual([kind, version, cost], ['argon2id', 'v=19', 'm=19456,t=2,p=1'])
  const nonce = Buffer.from(salt, 'base64')
  assert.equal(nonce.length, 16)
  const again = argon2Sync('argon2id', {
    message: 'correct horse',
    nonce,
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  })
  assert.equal(again.toString('base64').replaceAll('=', ''), tag)
})

test('verifies a password against hashes with any cost parameters', async () => {
  const hash = await hashPassword('correct horse ☂')
  assert.equal(await verifyPassword('correct horse ☂', hash), true)
  assert.equal(await verifyPassword('correct horse', hash), false)
  const nonce = Buffer.from('sixteen bytes !!')
  const cost = { memory: 1_024, passes: 3, parallelism: 2, tagLength: 24 }
  const tag = argon2Sync('argon2id', { message: 'old', nonce, ...cost })
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  const old = `$argon2id$v=19$m=1024,t=3,p=2$${text(nonce)}$${text(tag)}`
  assert.deepEqual(
    [await verifyPassword('old', old), await verifyPassword('new', old)],
    [true, false],
  )
})

test('rejects every password if there is no hash, with the same amount of work', async () => {
  const hash = await hashPassword('correct horse')
  for (const missing of [null, 'unused']) {
    assert.equal(await verifyPassword('anything', missing), false)
    const [actual, dummy] = [parsePasswordHash(hash), parsePasswordHash(missing)]
    assert.deepEqual(dummy.cost, actual.cost)
    const lengths = ({ nonce, tag }: typeof actual) => [nonce.length, tag.length]
    assert.deepEqual(lengths(dummy), lengths(actual))
  }
})

test('limits concurrent and waiting hashes and rejects further ones with 503', async () => {
  const calls = Array.from({ length: 60 }, () => verifyPassword('anything', null))
  const results = await Promise.allSettled(calls)
  const rejected = results.filter(({ status }) => status === 'rejected')
  assert.equal(rejected.length, 60 - 4 - 32)
  assert.equal(rejected[0]?.status === 'rejected' && rejected[0].reason.code, 'unavailable')
  assert.equal(await verifyPassword('anything', null), false)
})
