import { createApiKey } from '#auth/keys/api-keys.ts'
import { lockEmailAddresses, preparePassword, setPassword } from '#auth/users/accounts.ts'
import { findUnclaimedDemo, type UnclaimedDemo } from '#auth/workspaces/unclaimed-demo.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { SCOPE_PRESETS } from '#wire/scopes.ts'
import { demoEmailOf } from './demo-definitions.ts'

/** What opens the demo workspace. It is printed once. */
export interface DemoCredentials {
  workspace_id: string
  email: string
  password: string
  api_key: string
}

const OWNER_EMAIL = demoEmailOf('maya')

/**
 * Gives the demo workspace its credentials, and returns them; undefined if it has some, or there is
 * no demo. It has none until a start can print them: if a start is killed before, the next one
 * makes them, because without them nobody could sign in or sign up.
 */
export async function createDemoCredentials(
  storage: Storage,
): Promise<DemoCredentials | undefined> {
  const demo = await storage.read(ANONYMOUS_ACTOR, findDemoWithoutPassword)
  if (!demo) return undefined
  const { workspace_id, user_id } = demo
  const { password, hash } = await preparePassword()
  return storage.write({ ...ANONYMOUS_ACTOR, workspace_id, role: 'owner' }, async (tx) => {
    await lockEmailAddresses(tx)
    // Another process may have made them meanwhile.
    if (!(await findDemoWithoutPassword(tx))) return undefined
    await setPassword(tx, user_id, hash)
    const key = { name: 'Demo', scopes: SCOPE_PRESETS.full, expires_at: null }
    const { api_key } = await createApiKey(tx, { user_id, ...key })
    return { workspace_id, email: OWNER_EMAIL, password, api_key }
  })
}

async function findDemoWithoutPassword(tx: ReadTx): Promise<UnclaimedDemo | undefined> {
  const demo = await findUnclaimedDemo(tx)
  return demo && (await tx.one(ownerWithoutPassword, { id: demo.user_id })) ? demo : undefined
}

/** Not by id alone: an account that was erased has no password either. */
const ownerWithoutPassword = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('users')
    .select('id')
    .where('id', '=', $.id)
    .where('email', '=', OWNER_EMAIL)
    .where('password_hash', 'is', null),
)
