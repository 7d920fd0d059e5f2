import { hash, timingSafeEqual } from 'node:crypto'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { query, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { deriveKey } from '#db/installation/sealed-values.ts'

/** The member who has been an owner longest. The command line acts on behalf of this user. */
export const firstOwner = query((db) =>
  db
    .selectFrom('memberships')
    .select('user_id')
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .orderBy('joined_at')
    .orderBy('user_id')
    .limit(1),
)

const TOKEN_BYTES = 18

/**
 * The setup token of an installation. It is derived from the secret, so all processes have the same
 * one and none has to store it. It is worth nothing once there is an account.
 */
export const deriveSetupToken = (secret: string): string =>
  deriveKey(secret, 'setup token').subarray(0, TOKEN_BYTES).toString('base64url')

/** Compares digests in constant time, so that timing reveals nothing about the token. */
export const isSetupToken = (text: string, token: string): boolean =>
  timingSafeEqual(hash('sha256', text, 'buffer'), hash('sha256', token, 'buffer'))

/** Whether the installation has an account. The first one decides who owns the installation. */
export const accountExists = async (tx: ReadTx): Promise<boolean> =>
  (await tx.one(anyAccount, {})) !== undefined

const anyAccount = unscopedQuery((db) => db.selectFrom('users').select('id').limit(1))

/** A demo workspace that nobody has claimed yet. */
export interface UnclaimedDemo {
  workspace_id: string
  /** The user who can sign in with the printed credentials. */
  user_id: string
}

/** Records the demo that has just been created. */
export async function recordUnclaimedDemo(tx: WriteTx, demo: UnclaimedDemo): Promise<void> {
  await tx.run(insertDemo, { value: JSON.stringify(demo) })
}

/** Returns the demo, unless it has been claimed. */
export async function findUnclaimedDemo(tx: ReadTx): Promise<UnclaimedDemo | undefined> {
  const row = await tx.one(demoRow, {})
  return row && (JSON.parse(row.value) as UnclaimedDemo)
}

/** Marks the demo as claimed. If two requests claim it at the same time, one of them gets false. */
export const claimDemo = async (tx: WriteTx): Promise<boolean> => (await tx.run(deleteDemo, {})) > 0

const INSTALLATION_KEY = 'demo'

const insertDemo = unscopedCommand((db, $: { value: string }) =>
  db.insertInto('installation').values({ name: INSTALLATION_KEY, value: $.value }),
)

const demoRow = unscopedQuery((db) =>
  db.selectFrom('installation').select('value').where('name', '=', INSTALLATION_KEY),
)

const deleteDemo = unscopedCommand((db, _: object) =>
  db.deleteFrom('installation').where('name', '=', INSTALLATION_KEY),
)
