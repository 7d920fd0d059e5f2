import { setImmediate } from 'node:timers/promises'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { cancelStaleDeliveries, DELIVERY_QUEUES } from '#db/deliveries/delivery-queue.ts'
import { continueReplay, nextReplay } from '#db/deliveries/replays.ts'
import { WorkspaceClaim } from '../dispatch/lease.ts'
import {
  type DueWebhook,
  dispatchState,
  dueWebhooks,
  type ReadyDelivery,
  readyDeliveries,
} from '../dispatch/store.ts'
import type { DeliveryObserver } from '../results/metrics.ts'
import { type DeliveryRules, HTTP_GONE } from '../results/record.ts'
import { type DisabledWebhook, ResultWriter } from '../results/result-writer.ts'
import type { createAttemptRunner, DeliveryAttempt } from '../sending/attempt.ts'
import { fanOut } from './fan-out.ts'
import { type AttemptSlots, type RequestLoad, restAfterMs } from './slots.ts'

/** The dependencies that the senders of all workspaces share. */
export interface WorkspaceSenderDeps {
  storage: Storage
  dispatcher_id: string
  rules: DeliveryRules
  slots: AttemptSlots
  runAttempt: ReturnType<typeof createAttemptRunner>
  observer: DeliveryObserver
  log: { error(about: object, message: string): void }
  load: RequestLoad
  /** Requests another turn for the workspace, at once or after some milliseconds for others. */
  scheduleTurn(workspace_id: string, afterMs?: number): void
}

/** Results waiting to be recorded, beyond which nothing more is sent. */
const MAX_UNWRITTEN_RESULTS = 1_000
/** How long the state read from the database is used, unless it is invalidated. */
const STATE_TTL_MS = 500
/** Slots that are freed within this time are filled by one turn, with one read for each webhook. */
const GATHER_MS = 2
/** A receiver that takes this long holds slots that others need. */
const SLOW_ATTEMPT_MS = 3_000
/** How long a quiet workspace stays claimed, and its state in memory. */
const MAX_QUIET_MS = 10_000

/**
 * Sends the deliveries of one workspace, as long as this process holds its claim. The dispatcher
 * runs its turns, one at a time. A turn reads the state of the workspace if it is not known or was
 * invalidated, claims the workspace if there is work, and makes deliveries of new events. Then it starts
 * as many attempts as slots allow, and each attempt that ends requests a turn.
 *
 * What was read is used for STATE_TTL_MS, then the next turn reads again. A read that fails leaves
 * the webhooks of the last one. If the state is invalidated during a read, the turn still sends what it
 * has read: otherwise nothing would be sent during steady commits.
 */
export class WorkspaceSender {
  readonly #deps: WorkspaceSenderDeps
  readonly #actor: Actor
  readonly #claim: WorkspaceClaim
  readonly #results: ResultWriter
  /** When the state was read; it is not known before the first read, and after an invalidation. */
  #readAt = Number.NEGATIVE_INFINITY
  /** When there was something to send last. */
  #busyAt = performance.now()
  /** Deliveries that are being sent or not recorded yet, by webhook. */
  readonly #inFlight = new Map<string, Set<string>>()
  #attemptsRunning = 0
  /** Webhooks with due deliveries at the last read, by id. */
  #queues: WebhookQueue[] = []
  #lastServed = ''
  /** Until then no deliveries are prepared: requests have priority. */
  #preparesFrom = 0

  constructor(deps: WorkspaceSenderDeps, workspace_id: string) {
    this.#deps = deps
    this.#actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const { storage, dispatcher_id, rules, log } = deps
    this.#claim = new WorkspaceClaim(storage, this.#actor, dispatcher_id)
    this.#results = new ResultWriter({
      claim: this.#claim,
      rules,
      log,
      onWritten: (attempts, disabled) => this.#onWritten(attempts, disabled),
    })
  }

  /** No attempt is running, and no result waits to be recorded. */
  get isIdle(): boolean {
    return this.#attemptsRunning === 0 && this.#results.isIdle
  }

  /** There has been nothing to send for a while. */
  get canBeForgotten(): boolean {
    const isKnown = this.#readAt !== Number.NEGATIVE_INFINITY
    return this.isIdle && isKnown && performance.now() - this.#busyAt > MAX_QUIET_MS
  }

  /** The workspace has changed, or a poll has found work: the next turn reads its state again. */
  invalidate(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  #readAgain(afterMs = 0): void {
    this.invalidate()
    this.#deps.scheduleTurn(this.#actor.workspace_id, afterMs)
  }

  /** Does one bounded step of the work; requests another turn where there is more. */
  async runTurn(): Promise<void> {
    const now = performance.now()
    if (now - this.#readAt > STATE_TTL_MS) {
      this.#readAt = now
      await this.#read()
    }
    await this.#sendDue()
    if (this.#queues.length > 0 || !this.isIdle) this.#busyAt = performance.now()
  }

  /** Reads the state of the workspace, acquires the claim, and prepares deliveries. */
  async #read(): Promise<void> {
    const { storage, dispatcher_id } = this.#deps
    const { state, due, replay } = await storage.read(this.#actor, async (tx) => ({
      state: await tx.one(dispatchState, { dispatcher_id, now: tx.now }),
      due: await tx.all(dueWebhooks, { now: tx.now }),
      replay: await tx.one(nextReplay, {}),
    }))
    const hasNewEvents = state?.has_unsent_events === 1
    const hasWork = hasNewEvents || due.length > 0 || replay !== undefined
    const isHeld = state !== undefined && this.#claim.hasToken(state.dispatch_token)
    // Without the claim nothing that was read before may be sent.
    if (!isHeld || !hasWork) this.#setQueues([])
    if (!state || !hasWork) return
    if (!isHeld && (state.is_claimed || !(await this.#claim.acquire()))) return
    this.#setQueues(due)
    const withStale = due.filter(({ has_stale }) => has_stale === 1)
    if (!hasNewEvents && withStale.length === 0 && !replay) return
    await this.#prepare(async (tx) => {
      let more = hasNewEvents && (await fanOut(tx))
      for (const { id } of withStale) more = (await cancelStaleDeliveries(tx, id)) || more
      if (replay) more = (await continueReplay(tx, replay)) || more
      return more
    })
  }

  /** Runs a step of work in the database that may keep others waiting, and rests after it. */
  async #prepare(step: (tx: WriteTx) => Promise<boolean>): Promise<void> {
    const restMs = this.#preparesFrom - performance.now()
    // What came during the rest is prepared by the turn after it, which must read the state anew.
    if (restMs > 0) return this.#readAgain(restMs)
    let usedMs = 0
    const done = await this.#claim.writeAsHolder(async (tx) => {
      const from = performance.now()
      const outcome = { more: await step(tx), due: await tx.all(dueWebhooks, { now: tx.now }) }
      usedMs = performance.now() - from
      return outcome
    })
    this.#setQueues(done?.due ?? [])
    // Requests that have come during the work are only counted when the event loop has turned.
    await setImmediate()
    const nextRestMs = restAfterMs(usedMs, this.#deps.load)
    this.#preparesFrom = performance.now() + nextRestMs
    if (done?.more) this.#readAgain(nextRestMs)
  }

  /** Sends to these webhooks from now on. */
  #setQueues(due: readonly DueWebhook[]): void {
    const queues = new Map(this.#queues.map((queue) => [queue.target.id, queue]))
    this.#queues = due
      .filter(({ is_active }) => is_active === 1)
      .map((target) => ({
        target,
        // A URL that cannot be parsed is refused when it is sent, and must not stop the others.
        host: URL.parse(target.url)?.host ?? '',
        isReplayNext: queues.get(target.id)?.isReplayNext ?? false,
      }))
  }

  /** Sends nothing more to a webhook, until its state is read again. */
  #dropWebhook(webhook_id: string): void {
    this.#queues = this.#queues.filter(({ target }) => target.id !== webhook_id)
  }

  #onWritten(attempts: readonly DeliveryAttempt[], disabled: readonly DisabledWebhook[]): void {
    for (const { webhook_id, delivery } of attempts) {
      const ids = this.#inFlight.get(webhook_id)
      ids?.delete(delivery.id)
      if (ids?.size === 0) this.#inFlight.delete(webhook_id)
    }
    for (const { id } of disabled) this.#dropWebhook(id)
    // The next deliveries of their lanes are ready now.
    this.#readAgain()
    for (const { reason } of disabled) this.#deps.observer.onDisabled(reason)
  }

  /** Sends as many deliveries of each webhook as slots allow, first to the one after the last served. */
  async #sendDue(): Promise<void> {
    const { slots } = this.#deps
    const { workspace_id } = this.#actor
    const at = this.#queues.findIndex(({ target }) => target.id > this.#lastServed)
    const inOrder =
      at === -1 ? this.#queues : this.#queues.slice(at).concat(this.#queues.slice(0, at))
    for (const queue of inOrder) {
      if (this.#results.pendingCount >= MAX_UNWRITTEN_RESULTS) return
      const { target, host } = queue
      const room = slots.available(workspace_id, target.id, host)
      const ready = room > 0 ? await this.#readNext(queue, room) : []
      // The webhook may have been dropped during the read.
      if (!this.#queues.includes(queue)) continue
      // Other workspaces may have taken slots during the read; what is left is read again.
      const starting = ready.slice(0, slots.available(workspace_id, target.id, host))
      for (const delivery of starting) this.#startAttempt(queue, delivery)
      const last = starting.at(-1)
      if (last) {
        this.#lastServed = target.id
        queue.isReplayNext = last.queue === DELIVERY_QUEUES.live
      }
      const hasMore = ready.length === room || starting.length < ready.length
      if (hasMore) slots.wait(workspace_id, target.id, host)
      else this.#dropWebhook(target.id)
      // SQLite reads synchronously: without this pause all queues block the event loop as one.
      if (room > 0) await setImmediate()
    }
  }

  /** Reads the next deliveries of a webhook that are neither being sent nor recorded. */
  async #readNext({ target, isReplayNext }: WebhookQueue, limit: number) {
    const { id: webhook_id, activation } = target
    const busy = [...(this.#inFlight.get(webhook_id) ?? [])]
    const deliveries = await this.#deps.storage.read(this.#actor, (tx) =>
      tx.all(readyDeliveries, { webhook_id, activation, limit, busy, now: tx.now }),
    )
    return inTurn(deliveries, isReplayNext).slice(0, limit)
  }

  #startAttempt({ target, host }: WebhookQueue, delivery: ReadyDelivery): void {
    const { slots, runAttempt, observer, scheduleTurn, log } = this.#deps
    const { workspace_id } = this.#actor
    this.#inFlight.set(target.id, (this.#inFlight.get(target.id) ?? new Set()).add(delivery.id))
    const slot = slots.acquire(workspace_id, target.id, host)
    this.#attemptsRunning += 1
    const ending = runAttempt(workspace_id, target, delivery).then((ended) => {
      slot.release(ended.error !== 'timeout' && ended.duration_ms < SLOW_ATTEMPT_MS)
      this.#attemptsRunning -= 1
      if (ended.status === HTTP_GONE) this.#dropWebhook(target.id)
      this.#results.add(ended)
      scheduleTurn(slots.takeNextAfter(workspace_id), GATHER_MS)
      observer.onAttempt(ended)
    })
    ending.catch((err) => log.error({ err }, 'Failed to count a delivery attempt'))
  }
}

/** A webhook with due deliveries. */
interface WebhookQueue {
  target: DueWebhook
  host: string
  /** Live events and replays take turns. */
  isReplayNext: boolean
}

/** Tests and redeliveries first, then live events and replays in turn. */
export function inTurn(
  deliveries: readonly ReadyDelivery[],
  isReplayNext: boolean,
): ReadyDelivery[] {
  const { direct, live, replay } = DELIVERY_QUEUES
  const inQueue = (queue: ReadyDelivery['queue']) =>
    deliveries.filter((delivery) => delivery.queue === queue)
  const pair = [inQueue(live), inQueue(replay)]
  const [first = [], second = []] = isReplayNext ? pair.toReversed() : pair
  const longer = Math.max(first.length, second.length)
  const mixed = Array.from({ length: longer }, (_, at) => [first[at], second[at]]).flat()
  return [...inQueue(direct), ...mixed].filter((delivery) => delivery !== undefined)
}
