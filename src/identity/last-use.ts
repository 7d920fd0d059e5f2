import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { touchKey, touchMember } from './keys.ts'

/**
 * Remembers when credentials were used and writes it down now and then, not in the way of a request:
 * `last_used_at` is at most a minute behind if flushed every half minute (contract 4.1).
 */
export function rememberUse(storage: Storage) {
  let noted = new Map<Actor, number>()
  return {
    note(actor: Actor, ms: number): void {
      noted.set(actor, ms)
    },
    async flush(): Promise<void> {
      const uses = noted
      noted = new Map()
      for (const [actor, ms] of uses) {
        const { workspace_id, user_id, credential_id } = actor
        const at = timestampOf(ms)
        await storage.write({ ...NOBODY, workspace_id }, async (tx) => {
          if (credential_id) await tx.run(touchKey, { id: credential_id, at })
          if (user_id) await tx.run(touchMember, { user_id, at })
        })
      }
    },
  }
}
