import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { cancelStaleDeliveries, DELIVERY_QUEUES } from '#db/deliveries/delivery-queue.ts'
import { continueReplay, nextReplay } from '#db/deliveries/replays.ts'
import { newId } from '#lib/id.ts'
import { type AttemptDeps, createAttemptRunner, type DeliveryAttempt } from './attempts.ts'
import type { DeliveryObserver } from './metrics.ts'
import {
  type DueWebhook,
  dispatchState,
  dueWebhooks,
  fanOut,
  findPendingWorkspaces,
  type ReadyDelivery,
  readyDeliveries,
  startLease,
  WorkspaceClaim,
} from './queue.ts'
import { type DeliveryRules, type DisabledWebhook, HTTP_GONE, ResultWriter } from './results.ts'

/** The dependencies of a dispatcher. */
interface DispatcherDeps extends AttemptDeps {
  storage: Storage
  rules: DeliveryRules
  observer: DeliveryObserver
  load: RequestLoad
}

/**
 * How often it polls, so that a delivery never depends on a notification alone. It does so each second
 * while it has senders, whose failed attempts are soon due again, and where it hears nothing of the
 * commits of other processes.
 */
const TICK_MS = 1_000
const QUIET_TICK_MS = 10_000
const MIN_TICK_MS = 20
/** How soon a turn that has failed is tried again. */
const RETRY_MS = 1_000
/** Commits that follow each other this closely wake a workspace once; later while requests have priority. */
const WAKE_DELAY_MS = 2
const BUSY_WAKE_DELAY_MS = 25
/** An attempt that is not recorded by then is made again after the next start. */
const STOP_TIMEOUT_MS = 15_000
/** Workspaces served at the same time; each mostly waits for the database. */
const MAX_CONCURRENT_TURNS = 8

/** Intervals that tests override. */
export interface DispatcherTiming {
  tickMs?: number
}

/**
 * Starts sending the committed events of all workspaces to their webhooks. The sender of each takes
 * turns, and a workspace comes to its turn by way of these sets:
 *
 * - `delayed`: it gets a turn after a moment, in which more work may gather.
 * - `queued`: it waits for a turn, the longest queued first.
 * - `running`: its turn runs. If it is queued again meanwhile, another turn follows.
 *
 * No turn starts while the lease is not valid, nor after `stop`, which waits until all running
 * attempts are recorded.
 */
export async function startDispatcher(
  deps: DispatcherDeps,
  { tickMs }: DispatcherTiming = {},
): Promise<{ stop(): Promise<void> }> {
  const { storage, log, load } = deps
  const dispatcher_id = newId('dsp', storage.clock.now())
  const reportError = (err: unknown) =>
    log.error({ err }, 'The webhook dispatcher failed and continues')
  const lease = await startLease(storage, dispatcher_id, reportError)
  const slots = new AttemptSlots()
  const runAttempt = createAttemptRunner(deps, storage.clock)
  const senders = new Map<string, WorkspaceSender>()
  const delayed = new Set<string>()
  const queued = new Set<string>()
  const running = new Set<string>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  function scheduleTurn(workspace_id: string, afterMs = 0): void {
    if (afterMs > 0) {
      if (delayed.has(workspace_id)) return
      delayed.add(workspace_id)
      setTimeout(() => {
        delayed.delete(workspace_id)
        scheduleTurn(workspace_id)
      }, afterMs)
      return
    }
    queued.add(workspace_id)
    startTurns()
  }

  const shared = { ...deps, dispatcher_id, slots, runAttempt, scheduleTurn }

  /** A commit, or a poll that has found work: the sender reads the state of its workspace anew. */
  function wake(workspace_id: string): void {
    if (workspace_id === '' || stopped) return
    senders.get(workspace_id)?.invalidate()
    scheduleTurn(workspace_id, isBusy(load) ? BUSY_WAKE_DELAY_MS : WAKE_DELAY_MS)
  }

  /** Starts turns of queued workspaces, the longest queued first. */
  function startTurns(): void {
    if (stopped || !lease.isValid()) return
    for (const workspace_id of queued) {
      if (running.size >= MAX_CONCURRENT_TURNS) return
      if (running.has(workspace_id)) continue
      queued.delete(workspace_id)
      running.add(workspace_id)
      const sender = senders.get(workspace_id) ?? new WorkspaceSender(shared, workspace_id)
      if (senders.size === 0 && timer) scheduleTick(tickMs ?? TICK_MS)
      senders.set(workspace_id, sender)
      sender
        .runTurn()
        .catch((error) => {
          reportError(error)
          scheduleTurn(workspace_id, RETRY_MS)
        })
        .finally(() => {
          running.delete(workspace_id)
          // This one may have left slots free that others wait for.
          const waiting = slots.takeWaiting()
          if (waiting !== undefined) queued.add(waiting)
          setImmediate(startTurns)
        })
    }
  }

  /** Polls for work that no notification announced, and sleeps until the next is due. */
  async function tick(): Promise<void> {
    timer = undefined
    let sleep = tickMs ?? TICK_MS
    try {
      const { workspaces, nextInMs } = await findPendingWorkspaces(storage, dispatcher_id)
      for (const workspace_id of workspaces) wake(workspace_id)
      const hearsOthers = storage.engine === 'sqlite' || storage.commitListeners.isPeerBusConnected
      const isQuiet = senders.size + workspaces.size === 0 && hearsOthers
      sleep = Math.min(
        tickMs ?? (isQuiet ? QUIET_TICK_MS : TICK_MS),
        nextInMs ?? Number.POSITIVE_INFINITY,
      )
    } catch (error) {
      reportError(error)
    }
    for (const [id, sender] of senders)
      if (sender.canBeForgotten && !queued.has(id) && !running.has(id)) senders.delete(id)
    if (!stopped) scheduleTick(Math.max(sleep, MIN_TICK_MS))
  }

  function scheduleTick(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(tick, ms)
  }

  storage.onCommit(wake, dispatcher_id)
  await tick()

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      storage.onCommit(() => {})
      const end = performance.now() + STOP_TIMEOUT_MS
      const hasWork = () => running.size > 0 || [...senders.values()].some(({ isIdle }) => !isIdle)
      while (hasWork() && performance.now() < end) await pause(10)
      await lease.release().catch(reportError)
    },
  }
}

/** What the senders of all workspaces share. */
interface WorkspaceSenderDeps extends Omit<DispatcherDeps, 'send' | 'decrypt'> {
  dispatcher_id: string
  slots: AttemptSlots
  runAttempt: ReturnType<typeof createAttemptRunner>
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

/** A webhook with due deliveries. */
interface WebhookQueue {
  target: DueWebhook
  receiver: Receiver
  /** Live events and replays take turns. */
  isReplayNext: boolean
}

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
    await nextTurn()
    const nextRestMs = restAfterMs(usedMs, this.#deps.load)
    this.#preparesFrom = performance.now() + nextRestMs
    if (done?.more) this.#readAgain(nextRestMs)
  }

  /** Sends to these webhooks from now on. */
  #setQueues(due: readonly DueWebhook[]): void {
    const { workspace_id } = this.#actor
    const queues = new Map(this.#queues.map((queue) => [queue.target.id, queue]))
    this.#queues = due
      .filter(({ is_active }) => is_active === 1)
      .map((target) => ({
        target,
        // A URL that cannot be parsed is refused when it is sent, and must not stop the others.
        receiver: { workspace_id, webhook_id: target.id, host: URL.parse(target.url)?.host ?? '' },
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
    const at = this.#queues.findIndex(({ target }) => target.id > this.#lastServed)
    const inOrder =
      at === -1 ? this.#queues : this.#queues.slice(at).concat(this.#queues.slice(0, at))
    for (const queue of inOrder) {
      if (this.#results.pendingCount >= MAX_UNWRITTEN_RESULTS) return
      const { target, receiver } = queue
      const room = slots.available(receiver)
      const ready = room > 0 ? await this.#readNext(queue, room) : []
      // The webhook may have been dropped during the read.
      if (!this.#queues.includes(queue)) continue
      // Other workspaces may have taken slots during the read; what is left is read again.
      const starting = ready.slice(0, slots.available(receiver))
      for (const delivery of starting) this.#startAttempt(queue, delivery)
      const last = starting.at(-1)
      if (last) {
        this.#lastServed = target.id
        queue.isReplayNext = last.queue === DELIVERY_QUEUES.live
      }
      const hasMore = ready.length === room || starting.length < ready.length
      if (hasMore) slots.wait(receiver)
      else this.#dropWebhook(target.id)
      // SQLite reads synchronously: without this pause all queues block the event loop as one.
      if (room > 0) await nextTurn()
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

  #startAttempt({ target, receiver }: WebhookQueue, delivery: ReadyDelivery): void {
    const { slots, runAttempt, observer, scheduleTurn, log } = this.#deps
    const { workspace_id } = this.#actor
    this.#inFlight.set(target.id, (this.#inFlight.get(target.id) ?? new Set()).add(delivery.id))
    const release = slots.acquire(receiver)
    this.#attemptsRunning += 1
    const ending = runAttempt(workspace_id, target, delivery).then((ended) => {
      release(ended.error !== 'timeout' && ended.duration_ms < SLOW_ATTEMPT_MS)
      this.#attemptsRunning -= 1
      if (ended.status === HTTP_GONE) this.#dropWebhook(target.id)
      this.#results.add(ended)
      scheduleTurn(slots.takeNextAfter(workspace_id), GATHER_MS)
      observer.onAttempt(ended)
    })
    ending.catch((err) => log.error({ err }, 'Failed to count a delivery attempt'))
  }
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

/** The HTTP requests that the process is serving now. */
interface RequestLoad {
  requests: number
}

/** With this many concurrent requests, some of them wait for others. */
const BUSY_REQUESTS = 4

/** Whether deliveries give way to requests: deliveries can wait, a person cannot. */
const isBusy = ({ requests }: RequestLoad): boolean => requests >= BUSY_REQUESTS

/**
 * Milliseconds to rest after work in the database that took `usedMs`: it has held up the requests that
 * have come meanwhile.
 */
export const restAfterMs = (usedMs: number, { requests }: RequestLoad): number =>
  usedMs * Math.min(requests, BUSY_REQUESTS)

/** How many attempts may run at the same time: in all, to slow receivers, and to one of each kind. */
export const MAX_SLOTS = { all: 64, slow: 32, workspace: 24, host: 24, webhook: 4 } as const
/** Receivers that are remembered because their last answer did not come in time. */
const MAX_SLOW_RECEIVERS = 10_000

/** A webhook, by what limits the attempts to it. */
export interface Receiver {
  workspace_id: string
  webhook_id: string
  host: string
}

/**
 * Shares the slots for attempts so that no receiver delays another. A receiver is slow after a timeout,
 * until it answers in time. Slow receivers never hold more than half of all slots.
 */
export class AttemptSlots {
  /** How many attempts run: in all, and of each webhook, workspace, host and of slow receivers. */
  readonly #used = new Map<string, number>()
  readonly #slow = new Set<string>()
  /**
   * Workspaces that only the attempts of others keep from starting one, the longest waiting first, and
   * whether a slot of any kind will do.
   */
  readonly #waiting = new Map<string, { isSlow: boolean }>()

  /** How many more attempts may start to a receiver. */
  available(receiver: Receiver): number {
    const shared = this.#sharedRoom(this.#isSlow(receiver))
    return Math.max(0, Math.min(this.#ownRoom(receiver), shared))
  }

  /** Takes a slot. The function that is returned frees it, with whether the receiver answered in time. */
  acquire(receiver: Receiver): (isInTime: boolean) => void {
    const { workspace_id, webhook_id, host } = receiver
    const keys = ['all', `to ${webhook_id}`, `at ${host}`, `of ${workspace_id}`]
    if (this.#isSlow(receiver)) keys.push('slow')
    this.#count(keys, 1)
    return (isInTime) => {
      this.#count(keys, -1)
      this.#slow.delete(webhook_id)
      if (!isInTime) this.#slow.add(webhook_id)
      const [oldest] = this.#slow
      if (this.#slow.size > MAX_SLOW_RECEIVERS && oldest) this.#slow.delete(oldest)
    }
  }

  /** Puts a workspace in line if only the attempts of others keep it from starting this one. */
  wait(receiver: Receiver): void {
    const isSlow = this.#isSlow(receiver)
    if (this.#sharedRoom(isSlow) > 0 || this.#ownRoom(receiver) <= 0) return
    const { workspace_id } = receiver
    const before = this.#waiting.get(workspace_id)
    this.#waiting.set(workspace_id, { isSlow: isSlow && before?.isSlow !== false })
  }

  /** Takes the workspace out of the line that has waited longest for a slot that is free now. */
  takeWaiting(): string | undefined {
    for (const [workspace_id, { isSlow }] of this.#waiting) {
      if (this.#sharedRoom(isSlow) <= 0) continue
      this.#waiting.delete(workspace_id)
      return workspace_id
    }
    return undefined
  }

  /**
   * Who may use the slot of an attempt that has ended: others wait in line, and its own workspace goes
   * to the end of it. Otherwise a few workspaces with long queues would keep all slots.
   */
  takeNextAfter(workspace_id: string): string {
    if (!this.#waiting.has(workspace_id)) this.#waiting.set(workspace_id, { isSlow: false })
    return this.takeWaiting() ?? workspace_id
  }

  #isSlow({ webhook_id }: Receiver): boolean {
    return this.#slow.has(webhook_id)
  }

  #usedBy(key: string): number {
    return this.#used.get(key) ?? 0
  }

  #count(keys: readonly string[], by: 1 | -1): void {
    for (const key of keys) {
      const used = this.#usedBy(key) + by
      if (used > 0) this.#used.set(key, used)
      else this.#used.delete(key)
    }
  }

  #sharedRoom(isSlow: boolean): number {
    const room = MAX_SLOTS.all - this.#usedBy('all')
    return isSlow ? Math.min(room, MAX_SLOTS.slow - this.#usedBy('slow')) : room
  }

  #ownRoom({ workspace_id, webhook_id, host }: Receiver): number {
    const used = this.#usedBy(`to ${webhook_id}`)
    return Math.min(
      MAX_SLOTS.webhook - used,
      MAX_SLOTS.workspace - this.#usedBy(`of ${workspace_id}`),
      // Many receivers may share one host: each has at least one slot, however many another uses.
      Math.max(MAX_SLOTS.host - this.#usedBy(`at ${host}`), used > 0 ? 0 : 1),
    )
  }
}
