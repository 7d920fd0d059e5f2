import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { ApiError } from '#core/api-error.ts'
import type { WorkspaceClaim } from '../dispatch/lease.ts'
import type { DeliveryAttempt } from '../sending/attempt.ts'
import { type DeliveryRules, recordAttempts } from './record.ts'

/** A webhook that was disabled because of its failed attempts. */
export type DisabledWebhook = Awaited<ReturnType<typeof recordAttempts>>[number]

interface ResultWriterDeps {
  claim: Pick<WorkspaceClaim, 'writeAsHolder'>
  rules: DeliveryRules
  log: { error(about: object, message: string): void }
  /** Called when attempts are recorded. */
  onWritten(attempts: readonly DeliveryAttempt[], disabled: readonly DisabledWebhook[]): void
}

/** No request may wait long for a batch. */
const MAX_BATCH = 100
/** How long results are gathered: a commit costs as much as recording a hundred of them. */
const GATHER_MS = 20
const RETRY_MS = 500

/** Gathers the finished attempts of a workspace and records them in batches. */
export class ResultWriter {
  readonly #deps: ResultWriterDeps
  #attempts: DeliveryAttempt[] = []
  #isWriting = false
  #batchStartedAt = Number.NEGATIVE_INFINITY

  constructor(deps: ResultWriterDeps) {
    this.#deps = deps
  }

  get pendingCount(): number {
    return this.#attempts.length
  }

  get isIdle(): boolean {
    return this.#attempts.length === 0 && !this.#isWriting
  }

  add(attempt: DeliveryAttempt): void {
    this.#attempts.push(attempt)
    if (!this.#isWriting) this.#write()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Attempts that end in the same turn of the event loop are recorded together.
    await setImmediate()
    let batchSize = MAX_BATCH
    while (this.#attempts.length > 0) {
      const remainingMs = this.#batchStartedAt + GATHER_MS - performance.now()
      if (remainingMs > 1 && this.#attempts.length < MAX_BATCH) await pause(remainingMs)
      this.#batchStartedAt = performance.now()
      batchSize = await this.#writeBatch(this.#attempts.slice(0, batchSize))
    }
    this.#isWriting = false
  }

  /**
   * Records an attempt that cannot be written as unsendable, without its response. If that cannot
   * be written either, it is left in flight: it is not sent again before the next start.
   */
  #giveUpFirst(attempt: DeliveryAttempt): void {
    const others = this.#attempts.slice(1)
    const unsendable: DeliveryAttempt = {
      ...attempt,
      body: null,
      headers: {},
      error: 'connection_failed',
      isUnsendable: true,
    }
    this.#attempts = attempt.isUnsendable ? others : [unsendable, ...others]
  }

  /** Records one batch; returns the size of the next. */
  async #writeBatch(batch: readonly DeliveryAttempt[]): Promise<number> {
    const { claim, rules, log, onWritten } = this.#deps
    let disabled: readonly DisabledWebhook[]
    try {
      disabled = (await claim.writeAsHolder((tx) => recordAttempts(tx, batch, rules))) ?? []
    } catch (err) {
      log.error({ err }, 'Failed to save delivery results')
      if (err instanceof ApiError) {
        await pause(RETRY_MS)
        return batch.length
      }
      const [one] = batch
      if (batch.length === 1 && one) this.#giveUpFirst(one)
      return 1
    }
    this.#attempts = this.#attempts.slice(batch.length)
    try {
      onWritten(batch, disabled)
    } catch (err) {
      // The batch is recorded, and the next one must be.
      log.error({ err }, 'Failed to go on after recording delivery results')
    }
    return MAX_BATCH
  }
}
