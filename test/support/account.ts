import { argon2Sync } from 'node:crypto'
import { NOBODY, type Role } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { setPassword } from '#identity/account.ts'
import { queryOfAll } from '#storage/statement.ts'
import type { Home } from './home.ts'

/** A password that all people of tests may have. */
export const PASSWORD = 'plum tart at noon'

/**
 * A hash names the cost at which it is checked: the least that argon2id has takes no time, and tests check
 * a password by the hundred. src/identity/password.test.ts proves the cost in production.
 */
const hash = cheapHashOf(PASSWORD)

function cheapHashOf(password: string): string {
  const nonce = Buffer.from('salt of the tests')
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }
  const tag = argon2Sync('argon2id', { message: password, nonce, ...cost })
  const [salt, text] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${text}`
}

/** Gives a person of a home the password of the tests; tells the e-mail address. */
export async function withPassword(
  storage: Storage,
  { people }: Pick<Home, 'people'>,
  role: Role,
): Promise<string> {
  return storage.write(NOBODY, async (tx) => {
    await setPassword(tx, people[role], hash)
    return addressOf(tx, people[role])
  })
}

/** For a step of a scenario: everybody has a password, and `{owner_email}` and so on are known. */
export async function passwords(tx: WriteTx, known: Record<string, string>): Promise<void> {
  for (const role of ['owner', 'admin', 'member', 'guest']) {
    await setPassword(tx, known[role] ?? '', hash)
    known[`${role}_email`] = await addressOf(tx, known[role] ?? '')
  }
}

async function addressOf(tx: WriteTx, id: string): Promise<string> {
  return (await tx.one(emailOf, { id }))?.email ?? ''
}

const emailOf = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('users').select('email').where('id', '=', $.id),
)

/** Headers of a client that is no browser, as the CSRF rule wants them. */
export const ORIGIN = { origin: 'http://127.0.0.1:4000' }
