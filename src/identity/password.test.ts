import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { hashOfPassword } from './password.ts'

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
