/** How many attempts may be under way at the same time (W12). */
export const MOST = { all: 256, workspace: 50, webhook: 8, host: 50 } as const

/** Attempts that may be under way to a receiver of which nothing is known yet. */
const FIRST = 2
/** Receivers that are remembered; those that one begins anew with are the longest known. */
const MOST_KNOWN = 10_000
/** Receivers that do not answer in time share this part of the room that there is. */
const SLOW_PART = 2

/** A place for an attempt under way; `free` tells whether it was answered in time. */
export interface Slot {
  free(inTime: boolean): void
}

interface Receiver {
  allowed: number
  used: number
  slow: boolean
}

/**
 * The room for attempts, shared out so that no receiver holds up another. A receiver is given more
 * the more it answers, and one at a time once it has let an attempt time out; those that time out
 * never take more than half of what the others need.
 */
export class Slots {
  #all = 0
  #slow = 0
  readonly #workspaces = new Map<string, { used: number; slow: number }>()
  readonly #hosts = new Map<string, number>()
  readonly #receivers = new Map<string, Receiver>()

  /** A receiver of which nothing is known begins as its webhook has been told of: failing or not. */
  meet(webhook_id: string, failing: boolean): void {
    if (this.#receivers.has(webhook_id)) return
    for (const [id, { used }] of this.#receivers) {
      if (this.#receivers.size < MOST_KNOWN) break
      if (used === 0) this.#receivers.delete(id)
    }
    const allowed = failing ? 1 : FIRST
    this.#receivers.set(webhook_id, { allowed, used: 0, slow: failing })
  }

  /** How many more may begin to this webhook of a workspace, at a host. */
  room(workspace_id: string, webhook_id: string, host: string): number {
    const workspace = this.#workspaces.get(workspace_id)
    const receiver = this.#receivers.get(webhook_id)
    const left = [
      MOST.all - this.#all,
      MOST.workspace - (workspace?.used ?? 0),
      // Many receivers may be at one host: a crowd of one of them leaves each of the others a place.
      Math.max(MOST.host - (this.#hosts.get(host) ?? 0), receiver?.used ? 0 : 1),
      (receiver?.allowed ?? FIRST) - (receiver?.used ?? 0),
    ]
    if (receiver?.slow) {
      left.push(MOST.all / SLOW_PART - this.#slow)
      left.push(MOST.workspace / SLOW_PART - (workspace?.slow ?? 0))
    }
    return Math.max(0, Math.min(...left))
  }

  take(workspace_id: string, webhook_id: string, host: string): Slot {
    const receiver = this.#receivers.get(webhook_id) ?? { allowed: FIRST, used: 0, slow: false }
    const workspace = this.#workspaces.get(workspace_id) ?? { used: 0, slow: 0 }
    const slow = receiver.slow ? 1 : 0
    const use = (by: 1 | -1) => {
      this.#all += by
      this.#slow += by * slow
      workspace.used += by
      workspace.slow += by * slow
      receiver.used += by
      const host_used = (this.#hosts.get(host) ?? 0) + by
      if (host_used > 0) this.#hosts.set(host, host_used)
      else this.#hosts.delete(host)
    }
    this.#receivers.set(webhook_id, receiver)
    this.#workspaces.set(workspace_id, workspace)
    use(1)
    return {
      free: (inTime) => {
        use(-1)
        receiver.slow = !inTime
        receiver.allowed = inTime ? Math.min(receiver.allowed + 1, MOST.webhook) : 1
        if (workspace.used === 0) this.#workspaces.delete(workspace_id)
      },
    }
  }
}
