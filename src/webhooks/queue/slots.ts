/** The HTTP requests that the process is serving now. */
export interface RequestLoad {
  requests: number
}

/** With this many concurrent requests, some of them wait for others. */
const BUSY_REQUESTS = 4

/** Whether deliveries give way to requests: deliveries can wait, a person cannot. */
export const isBusy = ({ requests }: RequestLoad): boolean => requests >= BUSY_REQUESTS

/**
 * Milliseconds to rest after work in the database that took `usedMs`: it has held up the requests that
 * have come meanwhile.
 */
export const restAfterMs = (usedMs: number, { requests }: RequestLoad): number =>
  usedMs * Math.min(requests, BUSY_REQUESTS)

/** How many attempts may run at the same time. */
export const MAX_SLOTS = { all: 64, workspace: 24, webhook: 4, host: 24 } as const
/** Of receivers that answer in time, while the process is busy with requests. */
const MAX_BUSY_SLOTS = 16
/** Receivers that have not answered in time share one of this many parts of the slots. */
const SLOW_DIVISOR = 2
/** Receivers that are remembered because their last answer did not come in time. */
const MAX_SLOW_RECEIVERS = 10_000

/** The slot of a running attempt; it is freed with whether the receiver answered in time. */
export interface AttemptSlot {
  release(inTime: boolean): void
}

type ReceiverKind = 'prompt' | 'slow'

/**
 * Shares the slots for attempts so that no receiver delays another. A receiver is slow after a timeout,
 * until it answers in time. Slow receivers never hold more than half of the slots, neither of all nor of
 * a workspace.
 */
export class AttemptSlots {
  readonly #load: RequestLoad
  /** How many attempts run: in all and by kind, workspace, webhook and host. */
  readonly #used = new Map<string, number>()
  readonly #slow = new Set<string>()
  /** Workspaces that only the attempts of others keep from starting one, the longest waiting first. */
  readonly #waiting = new Map<string, ReceiverKind>()

  constructor(load: RequestLoad) {
    this.#load = load
  }

  /** How many more attempts may start to this webhook of a workspace, at a host. */
  available(workspace_id: string, webhook_id: string, host: string): number {
    const own = this.#ownRoom(workspace_id, webhook_id, host)
    return Math.max(0, Math.min(own, this.#sharedRoom(this.#kindOf(webhook_id))))
  }

  acquire(workspace_id: string, webhook_id: string, host: string): AttemptSlot {
    const kind = this.#kindOf(webhook_id)
    const keys = [
      'all',
      kind,
      `to ${webhook_id}`,
      `at ${host}`,
      `of ${workspace_id}`,
      `${kind} of ${workspace_id}`,
    ]
    const use = (by: 1 | -1) => {
      for (const key of keys) {
        const used = this.#usedBy(key) + by
        if (used > 0) this.#used.set(key, used)
        else this.#used.delete(key)
      }
    }
    use(1)
    return {
      release: (inTime) => {
        use(-1)
        this.#slow.delete(webhook_id)
        if (!inTime) this.#slow.add(webhook_id)
        const [oldest] = this.#slow
        if (this.#slow.size > MAX_SLOW_RECEIVERS && oldest) this.#slow.delete(oldest)
      },
    }
  }

  /** Puts a workspace in line if only the attempts of others keep it from starting this one. */
  wait(workspace_id: string, webhook_id: string, host: string): void {
    const kind = this.#kindOf(webhook_id)
    if (this.#sharedRoom(kind) > 0 || this.#ownRoom(workspace_id, webhook_id, host) <= 0) return
    const waitsForPrompt = kind === 'prompt' || this.#waiting.get(workspace_id) === 'prompt'
    this.#waiting.set(workspace_id, waitsForPrompt ? 'prompt' : 'slow')
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
    if (!this.#waiting.has(workspace_id)) this.#waiting.set(workspace_id, 'prompt')
    return this.takeWaiting() ?? workspace_id
  }

  #kindOf(webhook_id: string): ReceiverKind {
    return this.#slow.has(webhook_id) ? 'slow' : 'prompt'
  }

  #usedBy(key: string): number {
    return this.#used.get(key) ?? 0
  }

  #sharedRoom(kind: ReceiverKind): number {
    const max = {
      prompt: isBusy(this.#load) ? MAX_BUSY_SLOTS : MAX_SLOTS.all,
      slow: MAX_SLOTS.all / SLOW_DIVISOR,
    }
    return Math.min(MAX_SLOTS.all - this.#usedBy('all'), max[kind] - this.#usedBy(kind))
  }

  #ownRoom(workspace_id: string, webhook_id: string, host: string): number {
    const used = this.#usedBy(`to ${webhook_id}`)
    const slowMax = MAX_SLOTS.workspace / SLOW_DIVISOR
    return Math.min(
      MAX_SLOTS.webhook - used,
      MAX_SLOTS.workspace - this.#usedBy(`of ${workspace_id}`),
      // Many receivers may share one host: each has at least one slot, however many another uses.
      Math.max(MAX_SLOTS.host - this.#usedBy(`at ${host}`), used > 0 ? 0 : 1),
      this.#kindOf(webhook_id) === 'prompt'
        ? MAX_SLOTS.workspace
        : slowMax - this.#usedBy(`slow of ${workspace_id}`),
    )
  }
}
