import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { Refusal } from '#core/refusal.ts'
import type { Attempt } from './attempt.ts'
import type { Claim } from './claim.ts'
import type { Pace } from './pace.ts'
import { type Rules, record } from './record.ts'

/** A webhook that was disabled by how its attempts went. */
export type Disabled = Awaited<ReturnType<typeof record>>[number]

interface Means {
  claim: Claim
  rules: Rules
  pace: Pace
  log: { error(about: object, message: string): void }
  /** These are written down, or not to be written down any more. */
  written(attempts: readonly Attempt[], disabled: readonly Disabled[]): void
  /** Nothing is left to be written down. */
  empty(): void
}

const AT_ONCE = 500
/** While requests come: nobody is to wait long for it. */
const AT_ONCE_ATTENDED = 100
/** So long results are gathered while there are many: a commit costs as much as a hundred of them. */
const GATHERED_MS = 20
const MANY = 100
const GATHERED_OF_MANY_MS = 50
const PAUSE_MS = 500

/** How attempts of a workspace went, gathered and written down together. */
export class Results {
  readonly #means: Means
  #ended: Attempt[] = []
  #writing = false
  #begun = Number.NEGATIVE_INFINITY

  constructor(means: Means) {
    this.#means = means
  }

  get waiting(): number {
    return this.#ended.length
  }

  get idle(): boolean {
    return this.#ended.length === 0 && !this.#writing
  }

  get #atOnce(): number {
    return this.#means.pace.attended ? AT_ONCE_ATTENDED : AT_ONCE
  }

  add(attempt: Attempt): void {
    this.#ended.push(attempt)
    if (!this.#writing) this.#write()
  }

  async #write(): Promise<void> {
    this.#writing = true
    // What ends within the same turn of the event loop is written down together.
    await setImmediate()
    let together = this.#atOnce
    let many = false
    while (this.#ended.length > 0) {
      const gathered = many ? GATHERED_OF_MANY_MS : GATHERED_MS
      const early = this.#begun + gathered - performance.now()
      if (early > 1 && this.#ended.length < this.#atOnce) await pause(early)
      this.#begun = performance.now()
      many = this.#ended.length >= MANY
      together = await this.#some(this.#ended.slice(0, together))
    }
    this.#writing = false
    this.#means.empty()
  }

  /**
   * One that cannot be written down ends as one that could not be sent, without what came of it. If
   * that cannot be written either it is left, on its way: it is not sent again before the next start.
   */
  #end(attempt: Attempt): void {
    const rest = this.#ended.slice(1)
    const bare: Attempt = {
      ...attempt,
      body: null,
      headers: {},
      error: 'connection_failed',
      broken: true,
    }
    this.#ended = attempt.broken ? rest : [bare, ...rest]
  }

  /** Writes some down; tells how many to take together the next time. */
  async #some(batch: readonly Attempt[]): Promise<number> {
    const { claim, rules, log, written } = this.#means
    try {
      const disabled = await claim.holding((tx) => record(tx, batch, rules))
      this.#ended = this.#ended.slice(batch.length)
      written(batch, disabled ?? [])
      return this.#atOnce
    } catch (err) {
      log.error({ err }, 'Results of deliveries could not be written down')
      if (err instanceof Refusal) {
        await pause(PAUSE_MS)
        return batch.length
      }
      const [one] = batch
      if (batch.length === 1 && one) this.#end(one)
      return 1
    }
  }
}
