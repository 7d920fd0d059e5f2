import type { Actor } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { claimWorkspace, currentClaim } from './store.ts'

/**
 * The right to send for one workspace. Only its holder sends. Every write checks the token of the
 * claim, a fencing token, so that a late write by a dispatcher that has lost the claim is dropped.
 */
export class WorkspaceClaim {
  readonly #storage: Storage
  readonly #actor: Actor
  readonly #dispatcher_id: string
  /** Undefined until the claim is acquired, and after it is lost. */
  #token: number | undefined

  constructor(storage: Storage, actor: Actor, dispatcher_id: string) {
    this.#storage = storage
    this.#actor = actor
    this.#dispatcher_id = dispatcher_id
  }

  /** Whether the given token, the current one of the workspace, belongs to this claim. */
  hasToken(token: number): boolean {
    return this.#token === token
  }

  /** Takes the workspace over, unless another live dispatcher holds it. */
  async acquire(): Promise<boolean> {
    this.#token = await this.#storage.write(this.#actor, async (tx) => {
      const updated = await tx.run(claimWorkspace, {
        dispatcher_id: this.#dispatcher_id,
        now: tx.now,
      })
      return updated === 1 ? (await tx.one(currentClaim, {}))?.dispatch_token : undefined
    })
    return this.#token !== undefined
  }

  /** Writes as the holder of the claim; does nothing and returns undefined when it is lost. */
  async writeAsHolder<T>(work: (tx: WriteTx) => Promise<T>): Promise<T | undefined> {
    const token = this.#token
    const done = await this.#storage.write(this.#actor, async (tx) => {
      const state = await tx.one(currentClaim, {})
      return state?.dispatch_token === token ? { value: await work(tx) } : undefined
    })
    if (!done && this.#token === token) this.#token = undefined
    return done?.value
  }
}
