import { styleText } from 'node:util'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { lockEmailAddresses, preparePassword, setPassword } from '#auth/users/accounts.ts'
import { findUnclaimedDemo, type UnclaimedDemo } from '#auth/workspaces/first-owner.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { workspacesAfter } from '#db/retention/purge.ts'
import { SCOPE_PRESETS } from '#wire/scopes.ts'
import { demoEmailOf } from './create-demo-workspace.ts'

/**
 * Returns whether this is the very first start of an empty installation, and records it. Only one
 * process ever gets true, and only once.
 */
export const claimFirstStart = (storage: Storage): Promise<boolean> =>
  storage.write(ANONYMOUS_ACTOR, async (tx) => {
    const isFirst = (await tx.run(recordFirstStart, { at: tx.now })) === 1
    return isFirst && (await tx.one(workspacesAfter, { after: '', limit: 1 })) === undefined
  })

const recordFirstStart = unscopedCommand((db, $: { at: string }) =>
  db
    .insertInto('installation')
    .values({ name: 'first_start', value: $.at })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

/** What opens the demo workspace. It is printed once. */
interface DemoCredentials {
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

/** The text with the credentials, which is printed once. */
export function welcomeText(
  baseUrl: string,
  { workspace_id, email, password, api_key }: DemoCredentials,
): string {
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout })
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout })
  return [
    '',
    `  ${bold('Welcome to Docket')}`,
    '  These are the credentials of the demo workspace. They are shown only once.',
    '',
    `  ${dim('Address  ')}  ${baseUrl}`,
    `  ${dim('Workspace')}  ${workspace_id}`,
    `  ${dim('Email    ')}  ${email}`,
    `  ${dim('Password ')}  ${password}`,
    `  ${dim('API key  ')}  ${api_key}`,
    '',
    `  ${bold('Next steps')}`,
    '  1. Open the address, sign in, and set up your own account.',
    '     Keep the demo workspace to look around, or remove it.',
    '  2. Call the API:',
    `     curl -H 'Authorization: Bearer ${api_key}' '${baseUrl}/api/v1/tasks?assignee_id=me'`,
    `  3. Read the API reference at ${baseUrl}/docs`,
    '',
    `  ${dim('To install without a demo, set DOCKET_DEMO=0 before the first start.')}`,
    '',
  ].join('\n')
}
