import { performance } from 'node:perf_hooks'

/** The load of HTTP requests on the process: being served now, and served so far. */
export interface RequestLoad {
  requests: number
  served: number
}

/** With this many concurrent requests at this utilization, some requests wait for others. */
const BUSY_REQUESTS = 4
const BUSY_UTILIZATION = 0.9
/** Utilization is sampled over this interval; the process counts as busy for a while after. */
const SAMPLE_INTERVAL_MS = 50
const BUSY_HOLD_MS = 500
/** Attempts allowed for each request served, and each second anyway, while it is busy. */
const ATTEMPTS_PER_REQUEST = 0.08
const ATTEMPTS_PER_SECOND = 100
const MAX_SAVED_ATTEMPTS = 50
/** While it is busy, work in the database is followed by a rest this many times as long. */
const REST_FACTOR = 16
/** How long after a request another one is expected. */
const SERVING_HOLD_MS = 1_000

/**
 * Gives requests priority: while the process is busy with them, deliveries are limited to a share
 * of its time. Deliveries can wait; a person cannot. Without requests there is no limit.
 */
export class Throttle {
  readonly #load: RequestLoad
  readonly #utilization: () => number
  #isBusy = false
  #servingUntil = 0
  #lastServed = 0
  #busyUntil = 0
  #sampledAt = Number.NEGATIVE_INFINITY
  #savedAttempts = 0
  #creditedServed = 0
  #creditedAt = 0

  /**
   * `utilization` returns the fraction of time that the event loop was busy since its last call.
   */
  constructor(load: RequestLoad, utilization = createUtilizationMeter()) {
    this.#load = load
    this.#utilization = utilization
  }

  get isBusy(): boolean {
    const now = performance.now()
    if (now - this.#sampledAt < SAMPLE_INTERVAL_MS) return this.#isBusy
    this.#sampledAt = now
    const wasBusy = this.#isBusy
    if (this.#utilization() >= BUSY_UTILIZATION && this.#load.requests >= BUSY_REQUESTS)
      this.#busyUntil = now + BUSY_HOLD_MS
    this.#isBusy = this.#busyUntil > now
    if (this.#isBusy && !wasBusy) {
      this.#savedAttempts = 0
      this.#creditedServed = this.#load.served
      this.#creditedAt = now
    }
    return this.#isBusy
  }

  /** Whether requests are arriving: then no single step in the database may take long. */
  get isServingRequests(): boolean {
    const now = performance.now()
    if (this.#load.served !== this.#lastServed) {
      this.#lastServed = this.#load.served
      this.#servingUntil = now + SERVING_HOLD_MS
    }
    return now < this.#servingUntil
  }

  /** How many attempts may start now. */
  get availableAttempts(): number {
    if (!this.isBusy) return Number.POSITIVE_INFINITY
    const now = performance.now()
    const earned =
      (this.#load.served - this.#creditedServed) * ATTEMPTS_PER_REQUEST +
      ((now - this.#creditedAt) * ATTEMPTS_PER_SECOND) / 1000
    this.#savedAttempts = Math.min(MAX_SAVED_ATTEMPTS, this.#savedAttempts + earned)
    this.#creditedServed = this.#load.served
    this.#creditedAt = now
    return Math.floor(this.#savedAttempts)
  }

  recordAttempt(): void {
    this.#savedAttempts -= 1
  }

  /** Milliseconds to rest after work in the database that took `usedMs`. */
  restAfterMs(usedMs: number): number {
    if (this.isBusy) return usedMs * REST_FACTOR
    return this.isServingRequests ? usedMs : 0
  }
}

function createUtilizationMeter(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}

/** How many attempts may run at the same time. */
export const MAX_SLOTS = { all: 256, workspace: 50, webhook: 8, host: 50 } as const

/** Concurrent attempts to a receiver that has not answered yet. */
const INITIAL_SLOTS = 2
/** Receivers that are remembered; beyond that the oldest idle ones are forgotten. */
const MAX_RECEIVERS = 10_000
/** Receivers that do not answer in time share one of this many parts of the slots. */
const SLOW_DIVISOR = 2

/** The slot of a running attempt; it is freed with whether the receiver answered in time. */
export interface AttemptSlot {
  release(inTime: boolean): void
}

interface ReceiverState {
  allowed: number
  used: number
  slow: boolean
}

/**
 * Shares the slots for attempts so that no receiver delays another. A receiver gets more slots as
 * it answers, and a single one after a timeout. Receivers that time out never hold more than half
 * of the slots.
 */
export class AttemptSlots {
  #all = 0
  #slow = 0
  readonly #workspaces = new Map<string, { used: number; slow: number }>()
  readonly #hosts = new Map<string, number>()
  readonly #receivers = new Map<string, ReceiverState>()
  /**
   * Workspaces that could start an attempt but for those of others, the longest waiting first: for any
   * slot, or for one of the part that slow receivers share.
   */
  readonly #waiting = new Map<string, 'any' | 'slow'>()

  /** Adds a receiver that is not remembered, with fewer slots if its webhook is failing. */
  register(webhook_id: string, failing: boolean): void {
    if (this.#receivers.has(webhook_id)) return
    for (const [id, { used }] of this.#receivers) {
      if (this.#receivers.size < MAX_RECEIVERS) break
      if (used === 0) this.#receivers.delete(id)
    }
    const allowed = failing ? 1 : INITIAL_SLOTS
    this.#receivers.set(webhook_id, { allowed, used: 0, slow: failing })
  }

  /** How many more attempts may start to this webhook of a workspace, at a host. */
  available(workspace_id: string, webhook_id: string, host: string): number {
    const own = this.#ownRoom(workspace_id, webhook_id, host)
    return Math.max(0, Math.min(own, this.#sharedRoom(this.#kindOf(webhook_id))))
  }

  /** Puts a workspace in line if only the attempts of others keep it from starting this one. */
  wait(workspace_id: string, webhook_id: string, host: string): void {
    const kind = this.#kindOf(webhook_id)
    if (this.#sharedRoom(kind) > 0 || this.#ownRoom(workspace_id, webhook_id, host) <= 0) return
    const isForAny = this.#waiting.get(workspace_id) === 'any' || this.#sharedRoom('any') <= 0
    this.#waiting.set(workspace_id, isForAny ? 'any' : 'slow')
  }

  /** Takes the workspace out of the line that has waited longest for a slot that is free now. */
  takeWaiting(): string | undefined {
    for (const [workspace_id, kind] of this.#waiting) {
      if (this.#sharedRoom(kind) <= 0) continue
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
    if (!this.#waiting.has(workspace_id)) this.#waiting.set(workspace_id, 'any')
    return this.takeWaiting() ?? workspace_id
  }

  #kindOf(webhook_id: string): 'any' | 'slow' {
    return this.#receivers.get(webhook_id)?.slow ? 'slow' : 'any'
  }

  #sharedRoom(kind: 'any' | 'slow'): number {
    const all = MAX_SLOTS.all - this.#all
    return kind === 'any' ? all : Math.min(all, MAX_SLOTS.all / SLOW_DIVISOR - this.#slow)
  }

  #ownRoom(workspace_id: string, webhook_id: string, host: string): number {
    const workspace = this.#workspaces.get(workspace_id)
    const receiver = this.#receivers.get(webhook_id)
    const limits = [
      MAX_SLOTS.workspace - (workspace?.used ?? 0),
      // Many receivers may share one host: each has at least one slot, however many another uses.
      Math.max(MAX_SLOTS.host - (this.#hosts.get(host) ?? 0), receiver?.used ? 0 : 1),
      (receiver?.allowed ?? INITIAL_SLOTS) - (receiver?.used ?? 0),
    ]
    if (receiver?.slow) limits.push(MAX_SLOTS.workspace / SLOW_DIVISOR - (workspace?.slow ?? 0))
    return Math.min(...limits)
  }

  acquire(workspace_id: string, webhook_id: string, host: string): AttemptSlot {
    const receiver = this.#receivers.get(webhook_id) ?? {
      allowed: INITIAL_SLOTS,
      used: 0,
      slow: false,
    }
    const workspace = this.#workspaces.get(workspace_id) ?? { used: 0, slow: 0 }
    const slow = receiver.slow ? 1 : 0
    const use = (by: 1 | -1) => {
      this.#all += by
      this.#slow += by * slow
      workspace.used += by
      workspace.slow += by * slow
      receiver.used += by
      const hostUsed = (this.#hosts.get(host) ?? 0) + by
      if (hostUsed > 0) this.#hosts.set(host, hostUsed)
      else this.#hosts.delete(host)
    }
    this.#receivers.set(webhook_id, receiver)
    this.#workspaces.set(workspace_id, workspace)
    use(1)
    return {
      release: (inTime) => {
        use(-1)
        receiver.slow = !inTime
        receiver.allowed = inTime ? Math.min(receiver.allowed + 1, MAX_SLOTS.webhook) : 1
        if (workspace.used === 0) this.#workspaces.delete(workspace_id)
      },
    }
  }
}
