import { argon2Sync } from 'node:crypto'
import { setPassword } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import type { Role } from '#wire/rights.ts'
import type { TestWorkspace } from './test-workspace.ts'

/** The password that all people in tests share. */
export const TEST_PASSWORD = 'plum tart at noon'

/**
 * A hash names the cost at which it is verified. Tests verify passwords by the hundred, so this one
 * has the lowest cost that argon2id allows. src/auth/passwords/password-hash.test.ts covers the real cost.
 */
const hash = cheapHashOf(TEST_PASSWORD)

function cheapHashOf(password: string): string {
  const nonce = Buffer.from('salt of the tests')
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }
  const tag = argon2Sync('argon2id', { message: password, nonce, ...cost })
  const [salt, text] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${text}`
}

/** Sets the test password for the person with this role, and returns their email address. */
export async function setTestPassword(
  storage: Storage,
  { people }: Pick<TestWorkspace, 'people'>,
  role: Role,
): Promise<string> {
  return storage.write(ANONYMOUS_ACTOR, async (tx) => {
    await setPassword(tx, people[role], hash)
    return addressOf(tx, people[role])
  })
}

/** Prepares a scenario step: sets a password for each role and defines `{owner_email}` etc. */
export async function setTestPasswords(tx: WriteTx, known: Record<string, string>): Promise<void> {
  for (const role of ['owner', 'admin', 'member', 'guest']) {
    await setPassword(tx, known[role] ?? '', hash)
    known[`${role}_email`] = await addressOf(tx, known[role] ?? '')
  }
}

async function addressOf(tx: WriteTx, id: string): Promise<string> {
  return (await tx.one(emailOf, { id }))?.email ?? ''
}

const emailOf = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('users').select('email').where('id', '=', $.id),
)

/** The header that the CSRF check requires of a client that is not a browser. */
export const ORIGIN_HEADERS = { origin: 'http://127.0.0.1:4000' }
