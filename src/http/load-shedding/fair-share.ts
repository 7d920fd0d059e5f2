/** How much of its count a workspace keeps from one sample to the next. */
const DECAY = 0.8
const MIN_COUNT = 0.05
/** Requests whose workspace is unknown: without a credential, or with one not used lately. */
const UNKNOWN = ''

/**
 * Divides the requests that are admitted among the workspaces (max-min fairness): those that ask for
 * less than an equal share get all of it, and the others share the rest equally. All requests of
 * unknown workspaces together count as one, so that nobody gets more by making up credentials.
 */
export class FairShare {
  readonly #random: () => number
  /** Recent requests by workspace. */
  readonly #recent = new Map<string, number>()
  readonly #sinceSample = new Map<string, number>()
  /** How many recent requests of a workspace are admitted. */
  #share = Number.POSITIVE_INFINITY
  #rate = 1

  /** `random` returns numbers from 0 (inclusive) to 1 (exclusive). */
  constructor(random: () => number = () => Math.random()) {
    this.#random = random
  }

  /** Ends a sample. `rate` is the share of all requests that is admitted from now on. */
  sample(rate: number): void {
    this.#rate = rate
    if (rate === 1) {
      this.#recent.clear()
      this.#sinceSample.clear()
      return
    }
    for (const [workspace, count] of this.#recent) {
      if (count * DECAY < MIN_COUNT) this.#recent.delete(workspace)
      else this.#recent.set(workspace, count * DECAY)
    }
    for (const [workspace, count] of this.#sinceSample)
      this.#recent.set(workspace, (this.#recent.get(workspace) ?? 0) + count)
    this.#sinceSample.clear()
    this.#share = equalShareOf([...this.#recent.values()], rate)
  }

  /** Decides at random whether to admit a request; undefined stands for unknown workspaces. */
  shouldAdmit(workspace: string | undefined): boolean {
    if (this.#rate === 1) return true
    const key = workspace ?? UNKNOWN
    this.#sinceSample.set(key, (this.#sinceSample.get(key) ?? 0) + 1)
    const recent = this.#recent.get(key)
    if (recent !== undefined) return this.#random() < this.#share / recent
    // At first nothing is known of anybody; later a workspace without requests asks for little.
    const isQuiet = workspace !== undefined && this.#recent.size > 0
    return isQuiet || this.#random() < this.#rate
  }
}

/** Divides all requests, and writes once more by a rate of their own. */
export class RequestShares {
  readonly #all: FairShare
  readonly #writes: FairShare

  constructor(random?: () => number) {
    this.#all = new FairShare(random)
    this.#writes = new FairShare(random)
  }

  /** Ends a sample of all requests and of writes. */
  sample(rate: number, writeRate: number): void {
    this.#all.sample(rate)
    this.#writes.sample(writeRate)
  }

  /**
   * Decides at random whether to admit a request. Both count every write: without those that one
   * refuses, the other would take a quiet workspace for as noisy as the rest.
   */
  shouldAdmit(workspace: string | undefined, isRead: boolean): boolean {
    const isAdmitted = this.#all.shouldAdmit(workspace)
    const isWriteAdmitted = isRead || this.#writes.shouldAdmit(workspace)
    return isAdmitted && isWriteAdmitted
  }
}

/**
 * Returns how much each may have of `rate` times all that is asked for, so that all of it is used.
 */
function equalShareOf(counts: readonly number[], rate: number): number {
  let left = rate * counts.reduce((sum, count) => sum + count, 0)
  for (const [index, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = left / (counts.length - index)
    if (count >= share) return share
    left -= count
  }
  return Number.POSITIVE_INFINITY
}
