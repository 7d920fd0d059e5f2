import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { touchKey, touchMember } from './keys.ts'
import { touchGrant } from './oauth/grants.ts'
import { touchSession } from './sessions.ts'

/** So many share a commit, where the engine lets them. */
const AT_ONCE = 50

/** When a credential was used last, in milliseconds since 1970, and whose it is. */
export type Use = Pick<
  Actor,
  'type' | 'workspace_id' | 'user_id' | 'credential_id' | 'grant_id'
> & { ms: number }

/** Writes uses down in this process. */
export function usesIn(storage: Storage) {
  async function write({ type, workspace_id, user_id, credential_id, grant_id, ms }: Use) {
    const at = timestampOf(ms)
    await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
      if (grant_id) await tx.run(touchGrant, { id: grant_id, at })
      else if (credential_id) {
        await tx.run(type === 'user' ? touchSession : touchKey, { id: credential_id, at })
      }
      if (user_id) await tx.run(touchMember, { user_id, at })
    })
  }

  return async (uses: readonly Use[]): Promise<void> => {
    for (let at = 0; at < uses.length; at += AT_ONCE) {
      await Promise.all(uses.slice(at, at + AT_ONCE).map(write))
    }
  }
}

/**
 * Remembers when credentials were used and writes it down now and then, not in the way of a request:
 * `last_used_at` is at most a minute behind if flushed every half minute (contract 4.1).
 */
export function rememberUse(write: (uses: readonly Use[]) => Promise<void>) {
  // By credential: actors are made anew whenever somebody's rights change.
  let noted = new Map<string, [actor: Actor, ms: number]>()

  return {
    note(actor: Actor, ms: number): void {
      noted.set(`${actor.grant_id ?? actor.credential_id ?? actor.user_id}`, [actor, ms])
    },
    async flush(): Promise<void> {
      const uses = noted
      noted = new Map()
      try {
        await write([...uses.values()].map(useOf))
      } catch (error) {
        // They are written down the next time, but for those who came again.
        noted = new Map([...uses, ...noted])
        throw error
      }
    },
  }
}

const useOf = ([actor, ms]: [Actor, number]): Use => {
  const { type, workspace_id, user_id, credential_id, grant_id } = actor
  return { type, workspace_id, user_id, credential_id, ...(grant_id && { grant_id }), ms }
}
