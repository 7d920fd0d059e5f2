import { setImmediate } from 'node:timers/promises'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { cancelStaleDeliveries } from '#db/deliveries/delivery-queue.ts'
import { continueReplay } from '#db/deliveries/replays.ts'
import { WorkspaceClaim } from '../dispatch/claim.ts'
import { type DueWebhook, dispatchState, dueWebhooks, readyDeliveries } from '../dispatch/store.ts'
import type { DeliveryObserver } from '../results/observer.ts'
import type { DeliveryRules } from '../results/record.ts'
import { type DisabledWebhook, ResultWriter } from '../results/result-writer.ts'
import { HTTP_GONE } from '../results/verdict.ts'
import type { createAttemptRunner, DeliveryAttempt } from '../sending/attempt.ts'
import { fanOut, MAX_FAN_OUT } from './fan-out.ts'
import { nextReplay } from './fan-out-store.ts'
import type { AttemptSlots } from './slots.ts'
import type { Throttle } from './throttle.ts'
import { WebhookQueue } from './webhook-queue.ts'

/** The dependencies that the senders of all workspaces share. */
export interface WorkspaceSenderDeps {
  storage: Storage
  dispatcher_id: string
  rules: DeliveryRules
  slots: AttemptSlots
  runAttempt: ReturnType<typeof createAttemptRunner>
  observer: DeliveryObserver
  log: { error(about: object, message: string): void }
  throttle: Throttle
  /** Requests another turn for the workspace, at once or after some milliseconds for others. */
  scheduleTurn(workspace_id: string, afterMs?: number): void
}

/** Deliveries read ahead for a webhook while requests are served. */
const MAX_READ_AHEAD_WHILE_SERVING = 16
/** Results waiting to be recorded, beyond which nothing more is sent. */
const MAX_UNWRITTEN_RESULTS = 1_000
/** How long the state read from the database is used, unless it is invalidated. */
const STATE_TTL_MS = 500
/** A receiver that takes this long holds slots that others need. */
const SLOW_ATTEMPT_MS = 3_000
/** When requests have priority, deliveries ask again after this long. */
const THROTTLED_RETRY_MS = 10
/** How long an idle workspace stays claimed, and its state in memory. */
const QUIET_AFTER_MS = 10_000

/** Sends the deliveries of one workspace, as long as this process holds its claim. */
export class WorkspaceSender {
  readonly #deps: WorkspaceSenderDeps
  readonly #actor: Actor
  readonly #claim: WorkspaceClaim
  readonly #results: ResultWriter
  /** Deliveries that are being sent or not recorded yet, by webhook. */
  readonly #inFlight = new Map<string, Set<string>>()
  #attemptsRunning = 0
  /** Webhooks with due deliveries at the last read; the first is served next. */
  #queues: WebhookQueue[] = []
  #loadedAt = Number.NEGATIVE_INFINITY
  #activeAt = performance.now()
  /** Until then no deliveries are prepared: requests have priority. */
  #preparesFrom = 0

  constructor(deps: WorkspaceSenderDeps, workspace_id: string) {
    this.#deps = deps
    this.#actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const { storage, dispatcher_id, rules, log, throttle } = deps
    this.#claim = new WorkspaceClaim(storage, this.#actor, dispatcher_id)
    this.#results = new ResultWriter({
      ...{ claim: this.#claim, rules, log, pace: throttle },
      onWritten: (attempts, disabled) => this.#onWritten(attempts, disabled),
      onEmpty: () => {
        this.invalidate()
        deps.scheduleTurn(workspace_id)
      },
    })
  }

  /** No attempt is running, and no result waits to be recorded. */
  get isIdle(): boolean {
    return this.#attemptsRunning === 0 && this.#results.isIdle
  }

  /** There has been nothing to send for a while. */
  get isQuiet(): boolean {
    const since = performance.now() - this.#activeAt
    return this.isIdle && this.#queues.length === 0 && since > QUIET_AFTER_MS
  }

  /** A commit has changed the workspace: the next turn reads its state again. */
  invalidate(): void {
    this.#loadedAt = Number.NEGATIVE_INFINITY
  }

  /** Does one bounded step of the work; requests another turn where there is more. */
  async runTurn(): Promise<void> {
    if (performance.now() - this.#loadedAt > STATE_TTL_MS) await this.#refresh()
    await this.#sendDue()
  }

  /** Reads the state of the workspace, acquires the claim, and makes deliveries of new events. */
  async #refresh(): Promise<void> {
    const { storage, dispatcher_id, throttle } = this.#deps
    this.#loadedAt = performance.now()
    const { state, due, replay } = await storage.read(this.#actor, async (tx) => ({
      state: await tx.one(dispatchState, { dispatcher_id, now: tx.now }),
      due: await tx.all(dueWebhooks, { now: tx.now }),
      replay: await tx.one(nextReplay, {}),
    }))
    const hasNewEvents = state?.has_unsent_events === 1
    if (hasNewEvents || due.length > 0) this.#activeAt = performance.now()
    const isHeld = state !== undefined && this.#claim.hasToken(state.dispatch_token)
    if (!isHeld) this.#dropAll()
    if (!state || (!hasNewEvents && due.length === 0 && !replay)) return this.#setQueues([])
    if (!isHeld && (state.is_claimed || !(await this.#claim.acquire()))) return
    this.#setQueues(due)
    const stale = due.filter(({ has_stale }) => has_stale === 1)
    if (!hasNewEvents && stale.length === 0 && !replay) return
    const restMs = this.#preparesFrom - performance.now()
    if (restMs > 0) {
      // What came during the rest is prepared by the turn after it, which must read the state anew.
      this.invalidate()
      return this.#deps.scheduleTurn(this.#actor.workspace_id, restMs)
    }
    await this.#runPreparation(async (tx) => {
      let more =
        hasNewEvents &&
        (await fanOut(tx, throttle.isServingRequests ? MAX_FAN_OUT.serving : MAX_FAN_OUT.idle))
      for (const { id } of stale) more = (await cancelStaleDeliveries(tx, id)) || more
      if (replay) more = (await continueReplay(tx, replay)) || more
      return { more, due: await tx.all(dueWebhooks, { now: tx.now }) }
    })
  }

  /** Sends to these webhooks from now on; deliveries read ahead for others are released. */
  #setQueues(due: readonly DueWebhook[]): void {
    const queues = new Map(this.#queues.map((queue) => [queue.target.id, queue]))
    this.#queues = due
      .filter(({ is_active }) => is_active === 1)
      .map((target) => {
        const queue = queues.get(target.id)
        this.#deps.slots.register(target.id, target.failure_count > 0)
        if (queue?.target.activation !== target.activation) return new WebhookQueue(target)
        queues.delete(target.id)
        return queue.refresh(target)
      })
    for (const queue of queues.values()) this.#releaseReady(queue)
  }

  #releaseReady(queue: WebhookQueue): void {
    for (const { id } of queue.ready) this.#clearInFlight(queue.target.id, id)
    queue.ready = []
  }

  #clearInFlight(webhook_id: string, id: string): void {
    const busy = this.#inFlight.get(webhook_id)
    busy?.delete(id)
    if (busy?.size === 0) this.#inFlight.delete(webhook_id)
  }

  /** Sends nothing more of what was read ahead for a webhook. */
  #dropWebhook(webhook_id: string): void {
    for (const queue of this.#queues) if (queue.target.id === webhook_id) this.#releaseReady(queue)
    this.#queues = this.#queues.filter(({ target }) => target.id !== webhook_id)
  }

  #onWritten(attempts: readonly DeliveryAttempt[], disabled: readonly DisabledWebhook[]): void {
    for (const { webhook_id, delivery } of attempts) this.#clearInFlight(webhook_id, delivery.id)
    for (const { id, reason } of disabled) {
      this.#dropWebhook(id)
      this.#deps.observer.onDisabled(reason)
    }
  }

  /** Without the claim nothing that was read may be sent. */
  #dropAll(): void {
    for (const queue of this.#queues) this.#releaseReady(queue)
    this.#queues = []
  }

  /** Runs a step of work in the database that may keep others waiting. */
  async #runPreparation(
    step: (tx: WriteTx) => Promise<{ more: boolean; due: DueWebhook[] }>,
  ): Promise<void> {
    let usedMs = 0
    const done = await this.#claim.writeAsHolder(async (tx) => {
      const from = performance.now()
      const outcome = await step(tx)
      usedMs = performance.now() - from
      return outcome
    })
    this.#setQueues(done?.due ?? [])
    const restMs = this.#deps.throttle.restAfterMs(usedMs)
    this.#preparesFrom = performance.now() + restMs
    if (done?.more || restMs > 0) this.#deps.scheduleTurn(this.#actor.workspace_id, restMs)
    if (done?.more) this.invalidate()
  }

  /** Sends as many deliveries of each webhook as slots allow; the first webhook rotates. */
  async #sendDue(): Promise<void> {
    for (const queue of this.#queues.slice()) {
      if (this.#results.pendingCount >= MAX_UNWRITTEN_RESULTS) return
      if (queue.ready.length === 0 && !queue.isExhausted && this.#availableSlots(queue) > 0)
        await this.#readNext(queue)
      if (!this.#queues.includes(queue)) {
        // The webhook was dropped during the read.
        this.#releaseReady(queue)
        continue
      }
      // Another webhook comes first in the next turn.
      this.#queues = this.#queues.filter((other) => other !== queue)
      const hasMore = () => queue.ready.length > 0 || !queue.isExhausted
      if (hasMore()) this.#queues.push(queue)
      this.#startAttempts(queue)
      if (hasMore()) this.#deps.slots.wait(this.#actor.workspace_id, queue.target.id, queue.host)
      // SQLite reads synchronously: without this pause all queues would block the event loop as
      // one.
      if (this.#deps.throttle.isServingRequests) await setImmediate()
    }
  }

  #availableSlots({ target, host }: WebhookQueue): number {
    return this.#deps.slots.available(this.#actor.workspace_id, target.id, host)
  }

  async #readNext(queue: WebhookQueue): Promise<void> {
    const { throttle } = this.#deps
    const { id: webhook_id, activation } = queue.target
    const limit = throttle.isServingRequests
      ? Math.min(queue.readAhead, MAX_READ_AHEAD_WHILE_SERVING)
      : queue.readAhead
    const selection = { webhook_id, activation, limit }
    const busy = [...(this.#inFlight.get(webhook_id) ?? [])]
    const deliveries = await this.#deps.storage.read(this.#actor, (tx) =>
      tx.all(readyDeliveries, { ...selection, busy, now: tx.now }),
    )
    queue.fill(deliveries, limit)
    const inFlightIds = this.#inFlight.get(webhook_id) ?? new Set()
    for (const { id } of queue.ready) inFlightIds.add(id)
    if (inFlightIds.size > 0) this.#inFlight.set(webhook_id, inFlightIds)
  }

  /** Starts the ready deliveries of a queue, as far as slots allow. */
  #startAttempts(queue: WebhookQueue): void {
    const { slots, throttle, runAttempt, observer, scheduleTurn } = this.#deps
    const { workspace_id } = this.#actor
    const { target, host } = queue
    if (queue.ready.length === 0) return
    const { availableAttempts } = throttle
    if (availableAttempts === 0) scheduleTurn(workspace_id, THROTTLED_RETRY_MS)
    for (let room = Math.min(this.#availableSlots(queue), availableAttempts); room > 0; room--) {
      const delivery = queue.ready.shift()
      if (!delivery) return
      throttle.recordAttempt()
      const slot = slots.acquire(workspace_id, target.id, host)
      this.#attemptsRunning += 1
      runAttempt(workspace_id, target, delivery).then((ended) => {
        slot.release(ended.error !== 'timeout' && ended.duration_ms < SLOW_ATTEMPT_MS)
        this.#attemptsRunning -= 1
        if (ended.status === HTTP_GONE) this.#dropWebhook(target.id)
        observer.onAttempt(ended)
        this.#results.add(ended)
        scheduleTurn(slots.takeNextAfter(workspace_id))
      })
    }
  }
}
