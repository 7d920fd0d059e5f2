import { NOBODY, type Role } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { setPassword } from '#identity/account.ts'
import { hashOfPassword } from '#identity/password.ts'
import { queryOfAll } from '#storage/statement.ts'
import type { Home } from './home.ts'

/** A password that all people of tests may have. */
export const PASSWORD = 'plum tart at noon'
const hashed = hashOfPassword(PASSWORD)

/** Gives a person of a home the password of the tests; tells the e-mail address. */
export async function withPassword(
  storage: Storage,
  { people }: Pick<Home, 'people'>,
  role: Role,
): Promise<string> {
  const hash = await hashed
  return storage.write(NOBODY, async (tx) => {
    await setPassword(tx, people[role], hash)
    return addressOf(tx, people[role])
  })
}

/** For a step of a scenario: everybody has a password, and `{owner_email}` and so on are known. */
export const passwords = hashed.then(
  (hash) => async (tx: WriteTx, known: Record<string, string>) => {
    for (const role of ['owner', 'admin', 'member', 'guest']) {
      await setPassword(tx, known[role] ?? '', hash)
      known[`${role}_email`] = await addressOf(tx, known[role] ?? '')
    }
  },
)

async function addressOf(tx: WriteTx, id: string): Promise<string> {
  return (await tx.one(emailOf, { id }))?.email ?? ''
}

const emailOf = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('users').select('email').where('id', '=', $.id),
)

/** Headers of a client that is no browser, as the CSRF rule wants them. */
export const ORIGIN = { origin: 'http://127.0.0.1:4000' }
