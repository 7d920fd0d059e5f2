import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashOfPassword, isPassword, workFor } from './password.ts'

test('a password is kept as argon2id at the cost of the contract, with a salt of its own', async () => {
  const [one, other] = await Promise.all(['correct horse', 'correct horse'].map(hashOfPassword))
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

test('a password is known again by its hash, whatever cost that names', async () => {
  const kept = await hashOfPassword('correct horse ☂')
  assert.equal(await isPassword('correct horse ☂', kept), true)
  assert.equal(await isPassword('correct horse', kept), false)
  const nonce = Buffer.from('sixteen bytes !!')
  const cost = { memory: 1_024, passes: 3, parallelism: 2, tagLength: 24 }
  const tag = argon2Sync('argon2id', { message: 'old', nonce, ...cost })
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  const old = `$argon2id$v=19$m=1024,t=3,p=2$${text(nonce)}$${text(tag)}`
  assert.deepEqual([await isPassword('old', old), await isPassword('new', old)], [true, false])
})

test('where no hash is kept nobody comes in, and it takes the same work to say so', async () => {
  const kept = await hashOfPassword('correct horse')
  for (const none of [null, 'unused']) {
    assert.equal(await isPassword('anything', none), false)
    const [own, nobodys] = [workFor(kept), workFor(none)]
    assert.deepEqual(nobodys.cost, own.cost)
    const lengths = ({ nonce, tag }: typeof own) => [nonce.length, tag.length]
    assert.deepEqual(lengths(nobodys), lengths(own))
  }
})

test('a few hashes are made at once, a few wait, and whoever comes then is told to come again', async () => {
  const many = Array.from({ length: 60 }, () => isPassword('anything', null))
  const ended = await Promise.allSettled(many)
  const refused = ended.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 60 - 4 - 32)
  assert.equal(refused[0]?.status === 'rejected' && refused[0].reason.code, 'unavailable')
  assert.equal(await isPassword('anything', null), false)
})
