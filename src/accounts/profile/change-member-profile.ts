import { changeProfile, type ProfileChanges } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { JobKind } from '#core/job.ts'
import { diffRecords } from '#core/record-diff.ts'
import type { FieldChanges, Storage, WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { clearJobPayload, enqueueJobElsewhere } from '#db/jobs/jobs.ts'
import { isWorkspaceImporting } from '#db/workspaces/workspace-imports.ts'
import { fromJson } from '#lib/json.ts'
import { emitMemberUpdated, loadMember } from '#resources/members/membership.ts'

/**
 * Changes the profile of a member of the workspace and returns whether any value has changed. Emits
 * `member.updated` for a new name, email address or picture; jobs emit it in the other workspaces of
 * the person. Throws 409 `email_taken`.
 */
export async function changeMemberProfile(
  tx: WriteTx,
  user_id: string,
  profile: ProfileChanges,
): Promise<boolean> {
  const before = await loadMember(tx, user_id)
  if (!(await changeProfile(tx, user_id, profile))) return false
  const after = await loadMember(tx, user_id)
  const changes = diffRecords(fromJson(before.json), fromJson(after.json))
  if (EVENT_FIELDS.some((field) => field in changes)) {
    emitMemberUpdated(tx, after, changes)
    await enqueueProfileChange(tx, user_id, changes)
  } else {
    tx.noteChange({ noun: 'member', id: user_id })
  }
  return true
}

const EVENT_FIELDS = ['name', 'email', 'avatar_url']

/**
 * A workspace has one writer at a time, and a transaction that waited for several could deadlock.
 * So each other workspace gets a job, in the transaction of the change. The payload is encrypted,
 * because it contains names and addresses.
 */
async function enqueueProfileChange(
  tx: WriteTx,
  user_id: string,
  changes: FieldChanges,
): Promise<void> {
  const { workspace_id } = tx.actor
  const others = await tx.all(otherWorkspaces, { user_id, except: workspace_id })
  if (others.length === 0) return
  const sealed = tx.encrypt(JSON.stringify(changes))
  await enqueueJobElsewhere(
    tx,
    others.map(({ id }) => id),
    { kind: 'profile_change', payload: { user_id, sealed, sealed_in: workspace_id } },
  )
}

const otherWorkspaces = unscopedQuery((db, $: { user_id: string; except: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select('workspaces.id')
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.id', '<>', $.except)
    .where((is) => is.not(isWorkspaceImporting('workspaces.id')))
    .orderBy('workspaces.id'),
)

const MINUTE_MS = 60 * 1000

/**
 * The kind of job that emits `member.updated` in another workspace of a person. It empties its
 * payload in the same transaction, so that it emits once, even if it runs again after a crash.
 */
export const createProfileChangeJob = (storage: Storage): JobKind => ({
  name: 'profile_change',
  isBounded: true,
  maxRunning: 1,
  maxAgeMs: 24 * 60 * MINUTE_MS,
  retryDelayMs: () => MINUTE_MS,
  async run({ job: { id, workspace_id, payload }, write }) {
    const { user_id, sealed, sealed_in } = payload
    if (user_id === undefined || sealed === undefined || sealed_in === undefined) return 'done'
    const origin = { ...ANONYMOUS_ACTOR, workspace_id: sealed_in }
    const text = await storage.write(origin, async (tx) => tx.decrypt(sealed))
    const changes = JSON.parse(text) as FieldChanges
    const { name } = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) =>
      fromJson((await loadMember(tx, user_id)).json),
    )
    const actor = { ...createUserActor(user_id, workspace_id), name }
    await write(async (tx) => {
      if ((await tx.run(clearJobPayload, { id })) === 0) return
      const member = await loadMember(tx, user_id)
      // Who has left meanwhile may have been erased: nothing may name them any more.
      if (fromJson(member.json).status === 'active') emitMemberUpdated(tx, member, changes)
    }, actor)
    return 'done'
  },
})
