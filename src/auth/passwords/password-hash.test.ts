import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import {
  hashPassword,
  type PasswordOwner,
  parsePasswordHash,
  verifyPassword,
} from './password-hash.ts'

const OWNER = { account: 'ada@example.com', address: '192.0.2.1' }

test('hashes passwords with argon2id at the specified cost and a random salt', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => hashPassword('correct horse')))
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
  assert.equal(await verifyPassword('correct horse ☂', hash, OWNER), true)
  assert.equal(await verifyPassword('correct horse', hash, OWNER), false)
  const nonce = Buffer.from('sixteen bytes !!')
  const cost = { memory: 1_024, passes: 3, parallelism: 2, tagLength: 24 }
  const tag = argon2Sync('argon2id', { message: 'old', nonce, ...cost })
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  const old = `$argon2id$v=19$m=1024,t=3,p=2$${text(nonce)}$${text(tag)}`
  assert.deepEqual(
    [await verifyPassword('old', old, OWNER), await verifyPassword('new', old, OWNER)],
    [true, false],
  )
})

test('rejects every password if there is no hash, with the same amount of work', async () => {
  const hash = await hashPassword('correct horse')
  for (const missing of [null, 'unused']) {
    assert.equal(await verifyPassword('anything', missing, OWNER), false)
    const [actual, dummy] = [parsePasswordHash(hash), parsePasswordHash(missing)]
    assert.deepEqual(dummy.cost, actual.cost)
    const lengths = ({ nonce, tag }: typeof actual) => [nonce.length, tag.length]
    assert.deepEqual(lengths(dummy), lengths(actual))
  }
})

/** Begins hashes of one account from one address each, and returns how many of each succeed. */
async function countSuccesses(groups: readonly (PasswordOwner & { count: number })[]) {
  const results = groups.map(({ count, ...owner }) =>
    Promise.allSettled(Array.from({ length: count }, () => verifyPassword('x', CHEAP_HASH, owner))),
  )
  const refused = new Set<unknown>()
  const counts = (await Promise.all(results)).map((group) => {
    for (const one of group) if (one.status === 'rejected') refused.add(one.reason.code)
    return group.filter(({ status }) => status === 'fulfilled').length
  })
  return { counts, refused: [...refused] }
}

/** Another cost than that of new passwords, so that hundreds of them take no time. */
const CHEAP_HASH = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

const other = { account: 'bea@example.com', address: '192.0.2.2' }

test('hashes two passwords at a time of an account and a network, and bounds how many wait', async () => {
  for (const groups of [
    [{ ...OWNER, count: 90 }],
    Array.from({ length: 90 }, (_, n) => ({ ...OWNER, account: String(n), count: 1 })),
    Array.from({ length: 90 }, (_, n) => ({ ...OWNER, address: `192.0.2.${n}`, count: 1 })),
  ]) {
    const { counts, refused } = await countSuccesses(groups)
    const total = counts.reduce((sum, count) => sum + count, 0)
    assert.deepEqual([total, refused], [2 + 64, ['unavailable']])
  }
  assert.equal(await verifyPassword('x', CHEAP_HASH, OWNER), false)
})

for (const [title, many] of [
  ['one account', [{ ...OWNER, count: 90 }]],
  ['one account from the same network', [{ ...OWNER, address: other.address, count: 90 }]],
  [
    'one account from many networks',
    Array.from({ length: 90 }, (_, n) => ({ ...OWNER, address: `198.51.100.${n}`, count: 1 })),
  ],
  [
    'many accounts from one network',
    Array.from({ length: 90 }, (_, n) => ({ ...OWNER, account: `${n}@example.com`, count: 1 })),
  ],
] as const) {
  test(`many sign-ins of ${title} refuse none of another account, and hold it up for a few`, async () => {
    let startedCount = 0
    let countBefore = Number.NaN
    const flood = many.flatMap(({ count: size, ...owner }) =>
      Array.from({ length: size }, () =>
        verifyPassword('x', CHEAP_HASH, owner, (compare) => {
          startedCount += 1
          return compare()
        }).catch(() => {}),
      ),
    )
    const own = Array.from({ length: 16 }, (_, at) =>
      verifyPassword('x', CHEAP_HASH, other, (compare) => {
        if (at === 0) countBefore = startedCount
        return compare()
      }),
    )
    await own[0]
    assert.ok(countBefore <= 6, `the first waited for ${countBefore}`)
    assert.deepEqual(await Promise.all(own), Array(16).fill(false))
    await Promise.all(flood)
  })
}
