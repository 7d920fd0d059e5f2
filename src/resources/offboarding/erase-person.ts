import { bumpAuthVersion } from '#auth/auth-version.ts'
import { anonymizeAccount } from '#auth/users/anonymize-account.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, conflict } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import {
  beginErasure,
  claimErasure,
  endErasure,
  erasureMarkName,
  workspacesEverJoined,
} from '#db/retention/person-erasure.ts'
import { membershipByUser, otherOwner } from '#resources/members/membership-store.ts'
import { endMembership } from './end-membership.ts'

type ErasureStorage = Pick<Storage, 'read' | 'write'>

interface ErasureOptions {
  /** Gives the actor for each workspace. */
  actorIn(workspace_id: string): Actor
  /** Runs in the transaction that begins the erasure, and may refuse it. */
  confirm?(tx: WriteTx): Promise<void>
}

/**
 * Erases a user: ends each membership in its workspace, with its event, and replaces the account by
 * a tombstone. 409 `last_owner` before any change, if a workspace would have no owner. If the process
 * dies, a background job continues from the mark that is saved first.
 */
export async function erasePerson(
  storage: ErasureStorage,
  user_id: string,
  { actorIn, confirm }: ErasureOptions,
): Promise<void> {
  const memberships = await loadActiveMemberships(storage, user_id)
  for (const { id, role, deleted_at } of memberships) {
    if (role !== 'owner' || deleted_at !== null) continue
    const other = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: id }, (tx) =>
      tx.one(otherOwner, { user_id }),
    )
    if (!other) throw lastOwner()
  }
  await storage.write(actorIn(''), async (tx) => {
    await confirm?.(tx)
    await tx.run(beginErasure, { name: erasureMarkName(user_id) })
  })
  await finishErasure(storage, user_id, actorIn)
}

/**
 * Ends the memberships that are left and the account, unless another process has done so meanwhile.
 * If a workspace would have no owner, because its other one has left since, the erasure is given up
 * with 409 `last_owner`: the user can still sign in there, and repeat it.
 */
export async function finishErasure(
  storage: ErasureStorage,
  user_id: string,
  actorIn: (workspace_id: string) => Actor,
): Promise<void> {
  const name = erasureMarkName(user_id)
  try {
    for (const { id, deleted_at } of await loadActiveMemberships(storage, user_id)) {
      await storage.write(actorIn(id), async (tx) => {
        const membership = await tx.one(membershipByUser, { user_id })
        if (membership?.removed_at !== null) return
        await endMembership(tx, user_id, { allowLastOwner: deleted_at !== null })
        await bumpAuthVersion(tx)
      })
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'last_owner')
      await storage.write(actorIn(''), (tx) => tx.run(endErasure, { name }))
    throw error
  }
  await storage.write(actorIn(''), async (tx) => {
    // Both would read the name of the account, and the second one that of the tombstone.
    if ((await tx.run(claimErasure, { name })) === 0) return
    await anonymizeAccount(tx, user_id)
  })
}

/** Those of an owner first, because they alone can still be refused. */
async function loadActiveMemberships(storage: ErasureStorage, user_id: string) {
  const memberships = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(workspacesEverJoined, { user_id }),
  )
  return memberships
    .filter(({ removed_at }) => removed_at === null)
    .toSorted((one, other) => Number(other.role === 'owner') - Number(one.role === 'owner'))
}

const lastOwner = () =>
  conflict(
    'last_owner',
    'A workspace would have no owner. Make another member an owner first, or delete the workspace.',
  )
