import { setImmediate } from 'node:timers/promises'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { cancelStaleDeliveries } from '#db/deliveries/delivery-queue.ts'
import { continueReplay, nextReplay } from '#db/deliveries/replays.ts'
import { Mode } from '#lib/mode.ts'
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
import { fanOut, MAX_FAN_OUT } from './fan-out.ts'
import type { AttemptSlots, Throttle } from './slots.ts'

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

/** Deliveries read ahead for a webhook: fewer while requests are served. */
const MAX_READ_AHEAD = { idle: 100, serving: 16 } as const
const MIN_READ_AHEAD = 4
/** Characters of bodies that are read ahead for a webhook; a single longer body is allowed. */
const MAX_READ_CHARS = 262_144
/** Results waiting to be recorded, beyond which nothing more is sent. */
const MAX_UNWRITTEN_RESULTS = 1_000
/** How long the state read from the database is used, unless it is invalidated. */
const STATE_TTL_MS = 500
/** A receiver that takes this long holds slots that others need. */
const SLOW_ATTEMPT_MS = 3_000
/** When requests have priority, deliveries ask again after this long. */
const THROTTLED_RETRY_MS = 10
/** How long a quiet workspace stays claimed, and its state in memory. */
const MAX_QUIET_MS = 10_000

/** The modes that may follow each one. */
const NEXT_MODES = {
  unread: ['unread', 'reading'],
  reading: ['unread', 'sending', 'quiet'],
  sending: ['unread', 'reading', 'quiet'],
  quiet: ['unread', 'reading'],
} as const

/**
 * Sends the deliveries of one workspace, as long as this process holds its claim. The dispatcher
 * runs its turns, one at a time. It is always in one of these modes:
 *
 * - `unread`: the state in the database is not known, or has changed. Every mode can return to this
 *   first one: by `invalidate`, which the dispatcher calls after a commit and when a poll has found
 *   work, when all results are recorded, and when more is left to prepare. A turn always follows.
 * - `reading`: a turn reads the state, claims the workspace if there is work, and makes deliveries
 *   of new events. If the sender becomes `unread` meanwhile, the turn still sends what it has read:
 *   otherwise nothing would be sent during steady commits.
 * - `sending`: there are webhooks with due deliveries. Each turn starts as many attempts as slots
 *   allow, and each attempt that ends requests a turn.
 * - `quiet`: no attempt can start, or another process holds the claim. It must read before it sends
 *   again. After a while the dispatcher forgets the sender.
 *
 * What was read is used for STATE_TTL_MS, then the next turn reads again. A read that fails leaves
 * the webhooks of the last one, so that what is in memory is sent during an outage of the database.
 * The rest after a preparation is not a mode: reading and sending go on during it.
 */
export class WorkspaceSender {
  readonly #deps: WorkspaceSenderDeps
  readonly #actor: Actor
  readonly #claim: WorkspaceClaim
  readonly #results: ResultWriter
  readonly #mode = new Mode(NEXT_MODES, 'unread')
  /** Deliveries that are being sent or not recorded yet, by webhook. */
  readonly #inFlight = new Map<string, Set<string>>()
  #attemptsRunning = 0
  /** Webhooks with due deliveries at the last read; the first is served next. */
  #queues: WebhookQueue[] = []
  /** Until then no deliveries are prepared: requests have priority. */
  #preparesFrom = 0

  constructor(deps: WorkspaceSenderDeps, workspace_id: string) {
    this.#deps = deps
    this.#actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const { storage, dispatcher_id, rules, log, throttle } = deps
    this.#claim = new WorkspaceClaim(storage, this.#actor, dispatcher_id)
    this.#results = new ResultWriter({
      claim: this.#claim,
      rules,
      log,
      pace: throttle,
      onWritten: (attempts, disabled) => this.#onWritten(attempts, disabled),
      onEmpty: () => this.#readAgain(),
    })
  }

  /** No attempt is running, and no result waits to be recorded. */
  get isIdle(): boolean {
    return this.#attemptsRunning === 0 && this.#results.isIdle
  }

  /** There has been nothing to send for a while. */
  get canBeForgotten(): boolean {
    return this.isIdle && this.#mode.is('quiet') && this.#mode.ageMs > MAX_QUIET_MS
  }

  /** A commit has changed the workspace: the next turn reads its state again. */
  invalidate(): void {
    this.#mode.enter('unread')
  }

  #readAgain(afterMs = 0): void {
    this.invalidate()
    this.#deps.scheduleTurn(this.#actor.workspace_id, afterMs)
  }

  /** Does one bounded step of the work; requests another turn where there is more. */
  async runTurn(): Promise<void> {
    if (!this.#mode.is('sending', 'quiet') || this.#mode.ageMs > STATE_TTL_MS) {
      this.#mode.enter('reading')
      await this.#read().finally(() => {
        if (this.#mode.is('reading'))
          this.#mode.enter(this.#queues.length > 0 ? 'sending' : 'quiet')
      })
    }
    await this.#sendDue()
    if (this.#mode.is('sending') && this.#queues.length === 0) this.#mode.enter('quiet')
  }

  /** Reads the state of the workspace, acquires the claim, and prepares deliveries. */
  async #read(): Promise<void> {
    const { storage, dispatcher_id, throttle } = this.#deps
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
      const limit = throttle.isServingRequests ? MAX_FAN_OUT.serving : MAX_FAN_OUT.idle
      let more = hasNewEvents && (await fanOut(tx, limit))
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
    const nextRestMs = this.#deps.throttle.restAfterMs(usedMs)
    this.#preparesFrom = performance.now() + nextRestMs
    if (done?.more) this.#readAgain(nextRestMs)
  }

  /** Sends to these webhooks from now on; what was read ahead for others is read again when due. */
  #setQueues(due: readonly DueWebhook[]): void {
    const queues = new Map(this.#queues.map((queue) => [queue.target.id, queue]))
    this.#queues = due
      .filter(({ is_active }) => is_active === 1)
      .map((target) => {
        this.#deps.slots.register(target.id, target.failure_count > 0)
        const queue = queues.get(target.id)
        return new WebhookQueue(target, queue?.target.activation === target.activation && queue)
      })
  }

  /** Sends nothing more of what was read ahead for a webhook. */
  #dropWebhook(webhook_id: string): void {
    this.#queues = this.#queues.filter(({ target }) => target.id !== webhook_id)
  }

  #onWritten(attempts: readonly DeliveryAttempt[], disabled: readonly DisabledWebhook[]): void {
    for (const { webhook_id, delivery } of attempts) {
      const ids = this.#inFlight.get(webhook_id)
      ids?.delete(delivery.id)
      if (ids?.size === 0) this.#inFlight.delete(webhook_id)
    }
    for (const { id, reason } of disabled) {
      this.#dropWebhook(id)
      this.#deps.observer.onDisabled(reason)
    }
  }

  /** Sends as many deliveries of each webhook as slots allow; the first webhook rotates. */
  async #sendDue(): Promise<void> {
    for (const queue of this.#queues.slice()) {
      if (this.#results.pendingCount >= MAX_UNWRITTEN_RESULTS) return
      if (queue.ready.length === 0 && !queue.isExhausted && this.#availableSlots(queue) > 0)
        await this.#readNext(queue)
      // The webhook may have been dropped during the read.
      if (!this.#queues.includes(queue)) continue
      // Another webhook comes first in the next turn.
      this.#queues = this.#queues.filter((other) => other !== queue)
      const hasMore = () => queue.ready.length > 0 || !queue.isExhausted
      if (hasMore()) this.#queues.push(queue)
      this.#startAttempts(queue)
      if (hasMore()) this.#deps.slots.wait(this.#actor.workspace_id, queue.target.id, queue.host)
      // SQLite reads synchronously: without this pause all queues block the event loop as one.
      if (this.#deps.throttle.isServingRequests) await setImmediate()
    }
  }

  #availableSlots({ target, host }: WebhookQueue): number {
    return this.#deps.slots.available(this.#actor.workspace_id, target.id, host)
  }

  async #readNext(queue: WebhookQueue): Promise<void> {
    const { storage, throttle } = this.#deps
    const { id: webhook_id, activation } = queue.target
    const max = throttle.isServingRequests ? MAX_READ_AHEAD.serving : MAX_READ_AHEAD.idle
    const limit = Math.min(queue.readAhead, max)
    const busy = [...(this.#inFlight.get(webhook_id) ?? [])]
    const deliveries = await storage.read(this.#actor, (tx) =>
      tx.all(readyDeliveries, { webhook_id, activation, limit, busy, now: tx.now }),
    )
    queue.fill(deliveries, limit)
  }

  /** Starts the ready deliveries of a queue, as far as slots allow. */
  #startAttempts(queue: WebhookQueue): void {
    const { slots, throttle, runAttempt, observer, scheduleTurn, log } = this.#deps
    const { workspace_id } = this.#actor
    const { target, host } = queue
    if (queue.ready.length === 0) return
    const { availableAttempts } = throttle
    if (availableAttempts === 0) scheduleTurn(workspace_id, THROTTLED_RETRY_MS)
    for (let room = Math.min(this.#availableSlots(queue), availableAttempts); room > 0; room--) {
      const delivery = queue.ready.shift()
      if (!delivery) return
      this.#inFlight.set(target.id, (this.#inFlight.get(target.id) ?? new Set()).add(delivery.id))
      throttle.recordAttempt()
      const slot = slots.acquire(workspace_id, target.id, host)
      this.#attemptsRunning += 1
      const ending = runAttempt(workspace_id, target, delivery).then((ended) => {
        slot.release(ended.error !== 'timeout' && ended.duration_ms < SLOW_ATTEMPT_MS)
        this.#attemptsRunning -= 1
        if (ended.status === HTTP_GONE) this.#dropWebhook(target.id)
        this.#results.add(ended)
        scheduleTurn(slots.takeNextAfter(workspace_id))
        observer.onAttempt(ended)
      })
      ending.catch((err) => log.error({ err }, 'Failed to count a delivery attempt'))
    }
  }
}

/** The deliveries of one webhook, read ahead so that each does not need a query of its own. */
export class WebhookQueue {
  readonly target: DueWebhook
  readonly host: string
  /** Read, and not attempted yet. */
  ready: ReadyDelivery[]
  /** How many are read at a time: fewer where their bodies are long. */
  readAhead: number
  /** The last read left nothing in the database. */
  isExhausted = false

  /** Takes over what was read by a queue of the same activation. */
  constructor(target: DueWebhook, before?: WebhookQueue | false) {
    this.target = target
    // A URL that cannot be parsed is refused when it is sent, and must not stop the others.
    this.host = URL.parse(target.url)?.host ?? ''
    this.ready = before ? before.ready : []
    this.readAhead = before ? before.readAhead : 16
  }

  /** Takes over a read: tests and redeliveries first, then live events and replays in turn. */
  fill(deliveries: readonly ReadyDelivery[], limit: number): void {
    const inQueue = (queue: ReadyDelivery['queue']) =>
      deliveries.filter((delivery) => delivery.queue === queue)
    const [direct, live, replay] = [inQueue(0), inQueue(1), inQueue(2)]
    const longer = Math.max(live.length, replay.length)
    const mixed = Array.from({ length: longer }, (_, at) => [live[at], replay[at]]).flat()
    const ordered = [...direct, ...mixed].filter((delivery) => delivery !== undefined)
    let length = 0
    this.ready = ordered.filter(({ body }, at) => {
      length += body?.length ?? 0
      return at < limit && (at === 0 || length <= MAX_READ_CHARS)
    })
    this.isExhausted = deliveries.length < limit && this.ready.length === deliveries.length
    const fit = Math.floor((MAX_READ_CHARS * deliveries.length) / (length || 1))
    this.readAhead = Math.max(MIN_READ_AHEAD, Math.min(fit, MAX_READ_AHEAD.idle))
  }
}
