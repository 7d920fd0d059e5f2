import { serviceUnavailable } from '#core/api-error.ts'

interface SemaphoreLimits {
  running: number
  /** How many more of one workspace may wait for their turn, and how many of all together. */
  waitingOfWorkspace: number
  waiting: number
}

interface WaitingTask {
  start: () => void
  refuse: (error: unknown) => void
}

/**
 * Limits how many tasks run at a time. The others wait: workspaces take turns, and the tasks of one
 * workspace follow each other. If too many wait, the newest of the workspace with the most is refused,
 * so that no workspace takes the place of another.
 */
export function createSemaphore(limits: SemaphoreLimits) {
  /** The waiting tasks of each workspace. The workspace whose turn it is comes first. */
  const queues = new Map<string, WaitingTask[]>()
  let running = 0
  let waiting = 0

  function enqueue(workspace_id: string): Promise<void> {
    const queue = queues.get(workspace_id) ?? []
    queues.set(workspace_id, queue)
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>()
    queue.push({ start, refuse })
    waiting += 1
    if (queue.length > limits.waitingOfWorkspace) refuseNewest(workspace_id, queue)
    else if (waiting > limits.waiting) refuseNewest(...findLongest())
    return promise
  }

  /** Of several that are as long, the one that is served last. */
  const findLongest = () =>
    [...queues].reduce((longest, one) => (one[1].length < longest[1].length ? longest : one))

  function refuseNewest(workspace_id: string, queue: WaitingTask[]): void {
    waiting -= 1
    queue.pop()?.refuse(serviceUnavailable('Too many reports are under way: ask later.'))
    if (queue.length === 0) queues.delete(workspace_id)
  }

  /** Takes the next task out of the line, and puts its workspace at the end. */
  function takeNext(): WaitingTask | undefined {
    const [next] = queues
    if (!next) return undefined
    const [workspace_id, queue] = next
    waiting -= 1
    const task = queue.shift()
    queues.delete(workspace_id)
    if (queue.length > 0) queues.set(workspace_id, queue)
    return task
  }

  return async <T>(workspace_id: string, work: () => Promise<T>): Promise<T> => {
    if (running >= limits.running) await enqueue(workspace_id)
    else running += 1
    try {
      return await work()
    } finally {
      // The next task takes over the slot, so the count stays the same.
      const next = takeNext()
      if (next) next.start()
      else running -= 1
    }
  }
}

/** Long reads run one at a time: each uses a processor for tenths of a second. */
export const REPORT_LIMITS: SemaphoreLimits = { running: 1, waitingOfWorkspace: 16, waiting: 256 }
