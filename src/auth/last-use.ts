import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { touchApiKey, touchMembership } from './keys/api-key-store.ts'
import { touchGrant } from './oauth/grants.ts'
import { touchSession } from './sessions/sessions.ts'

/** This many writes run in parallel, so that they can share a commit on engines that support it. */
const WRITE_BATCH_SIZE = 50

/** The last use of a credential; `ms` is in milliseconds since 1970. */
type CredentialUse = Pick<
  Actor,
  'type' | 'workspace_id' | 'user_id' | 'credential_id' | 'grant_id'
> & { ms: number }

/** Creates a function that stores last uses. */
export function createUseWriter(storage: Storage) {
  async function write({
    type,
    workspace_id,
    user_id,
    credential_id,
    grant_id,
    ms,
  }: CredentialUse) {
    const at = timestampOf(ms)
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      if (grant_id) await tx.run(touchGrant, { id: grant_id, at })
      else if (credential_id) {
        await tx.run(type === 'user' ? touchSession : touchApiKey, { id: credential_id, at })
      }
      if (user_id) await tx.run(touchMembership, { user_id, at })
    })
  }

  return async (uses: readonly CredentialUse[]): Promise<void> => {
    for (let start = 0; start < uses.length; start += WRITE_BATCH_SIZE) {
      await Promise.all(uses.slice(start, start + WRITE_BATCH_SIZE).map(write))
    }
  }
}

/**
 * Collects the last uses of credentials in memory, so that no request waits for their storage.
 * `last_used_at` lags by at most a minute if `flush` is called every 30 seconds (docs/spec/api.md#api-keys).
 */
export function createUseRecorder(write: (uses: readonly CredentialUse[]) => Promise<void>) {
  // The key is the credential, because actors are created anew whenever rights change.
  let pending = new Map<string, [actor: Actor, ms: number]>()

  return {
    record(actor: Actor, ms: number): void {
      pending.set(`${actor.grant_id ?? actor.credential_id ?? actor.user_id}`, [actor, ms])
    },
    async flush(): Promise<void> {
      const uses = pending
      pending = new Map()
      try {
        await write([...uses.values()].map(toCredentialUse))
      } catch (error) {
        // They are stored by the next flush, except those that have newer uses by then.
        pending = new Map([...uses, ...pending])
        throw error
      }
    },
  }
}

const toCredentialUse = ([actor, ms]: [Actor, number]): CredentialUse => {
  const { type, workspace_id, user_id, credential_id, grant_id } = actor
  return { type, workspace_id, user_id, credential_id, ...(grant_id && { grant_id }), ms }
}
