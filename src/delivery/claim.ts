import type { Actor } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { claim, claimed } from './store.ts'

/**
 * The right to send for one workspace. Only who holds it sends, and whatever is written down names it:
 * what comes late from one who has lost it is dropped (W9).
 */
export class Claim {
  readonly #storage: Storage
  readonly #actor: Actor
  readonly #dispatcher_id: string
  /** Undefined until it is made, and when it is lost. */
  #token: number | undefined

  constructor(storage: Storage, actor: Actor, dispatcher_id: string) {
    this.#storage = storage
    this.#actor = actor
    this.#dispatcher_id = dispatcher_id
  }

  /** Whether the claim with this token, which is the present one, is this one. */
  is(token: number): boolean {
    return this.#token === token
  }

  /** Takes the workspace over, unless somebody living has it. */
  async make(): Promise<boolean> {
    this.#token = await this.#storage.write(this.#actor, async (tx) => {
      const taken = await tx.run(claim, { dispatcher_id: this.#dispatcher_id, now: tx.now })
      return taken === 1 ? (await tx.one(claimed, {}))?.dispatch_token : undefined
    })
    return this.#token !== undefined
  }

  /** Writes as the holder of the claim; does nothing, and gives nothing, when it is lost. */
  async holding<T>(work: (tx: WriteTx) => Promise<T>): Promise<T | undefined> {
    const token = this.#token
    const done = await this.#storage.write(this.#actor, async (tx) => {
      const state = await tx.one(claimed, {})
      return state?.dispatch_token === token ? { value: await work(tx) } : undefined
    })
    if (!done && this.#token === token) this.#token = undefined
    return done?.value
  }
}
