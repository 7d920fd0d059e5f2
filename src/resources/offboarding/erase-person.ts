import { bumpAuthVersion } from '#auth/auth-version.ts'
import { anonymizeAccount } from '#auth/users/anonymize-account.ts'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { conflict } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { workspacesEverJoined } from '#db/retention/person-erasure.ts'
import { otherOwner } from '#resources/members/membership-store.ts'
import { endMembership } from './end-membership.ts'

/**
 * Erases a user: ends each membership in its workspace, with its event, and replaces the account by
 * a tombstone. 409 `last_owner` before any change, if a workspace would have no owner. An
 * interrupted erasure can be repeated. `actorIn` gives the actor for each workspace.
 */
export async function erasePerson(
  storage: Pick<Storage, 'read' | 'write'>,
  user_id: string,
  actorIn: (workspace_id: string) => Actor,
): Promise<void> {
  const memberships = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(workspacesEverJoined, { user_id }),
  )
  const active = memberships.filter(({ removed_at }) => removed_at === null)
  for (const { id, role, deleted_at } of active) {
    if (role !== 'owner' || deleted_at !== null) continue
    const other = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: id }, (tx) =>
      tx.one(otherOwner, { user_id }),
    )
    if (!other) throw lastOwner()
  }
  for (const { id, deleted_at } of active) {
    await storage.write(actorIn(id), async (tx) => {
      await endMembership(tx, user_id, { allowLastOwner: deleted_at !== null })
      await bumpAuthVersion(tx)
    })
  }
  await storage.write(actorIn(''), (tx) => anonymizeAccount(tx, user_id))
}

const lastOwner = () =>
  conflict(
    'last_owner',
    'A workspace would have no owner. Make another member an owner first, or delete the workspace.',
  )
