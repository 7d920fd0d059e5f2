import { type Actor, NOBODY } from '#core/actor.ts'
import { conflict } from '#core/refusal.ts'
import type { Storage } from '#core/tx.ts'
import { eraseAccount } from '#identity/erasure.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { workspacesEver } from '#storage/erasure.ts'
import { removeMember } from './membership.ts'
import { anotherOwner } from './membership-store.ts'

/**
 * Erases a person: ends all memberships, each in its workspace and with its event, and makes a tombstone of
 * the account. 409 `last_owner` before anything is done, where a workspace would have no owner. What is
 * stopped in between is begun again, and then goes on. `by` says who does it.
 */
export async function erasePerson(
  storage: Pick<Storage, 'read' | 'write'>,
  user_id: string,
  by: (workspace_id: string) => Actor,
): Promise<void> {
  const memberships = await storage.read(NOBODY, (tx) => tx.all(workspacesEver, { user_id }))
  const active = memberships.filter(({ removed_at }) => removed_at === null)
  for (const { id, role, deleted_at } of active) {
    if (role !== 'owner' || deleted_at !== null) continue
    const other = await storage.read({ ...NOBODY, workspace_id: id }, (tx) =>
      tx.one(anotherOwner, { user_id }),
    )
    if (!other) throw ownsAlone()
  }
  for (const { id, deleted_at } of active) {
    await storage.write(by(id), async (tx) => {
      await removeMember(tx, user_id, { evenLast: deleted_at !== null })
      await advanceGeneration(tx)
    })
  }
  await storage.write(by(''), (tx) => eraseAccount(tx, user_id))
}

const ownsAlone = () =>
  conflict(
    'last_owner',
    'A workspace would have no owner: make somebody else one first, or delete the workspace.',
  )
