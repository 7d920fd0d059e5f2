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
    const workspace = this.#workspaces.get(workspace_id)
    const receiver = this.#receivers.get(webhook_id)
    const limits = [
      MAX_SLOTS.all - this.#all,
      MAX_SLOTS.workspace - (workspace?.used ?? 0),
      // Many receivers may share one host: each has at least one slot, however many another uses.
      Math.max(MAX_SLOTS.host - (this.#hosts.get(host) ?? 0), receiver?.used ? 0 : 1),
      (receiver?.allowed ?? INITIAL_SLOTS) - (receiver?.used ?? 0),
    ]
    if (receiver?.slow) {
      limits.push(MAX_SLOTS.all / SLOW_DIVISOR - this.#slow)
      limits.push(MAX_SLOTS.workspace / SLOW_DIVISOR - (workspace?.slow ?? 0))
    }
    return Math.max(0, Math.min(...limits))
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
