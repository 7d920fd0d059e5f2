import { delay } from '../../lib/browser/delay.ts'
import { runWhenIdle } from '../../lib/browser/run-when-idle.ts'
import { NetworkError } from '../../lib/http/problem.ts'
import { markStale } from '../../lib/http/reply-cache.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import type {
  LocalReplica,
  ReplicaScope,
  ScopeCopy,
  VersionedRecord,
} from '../../replica/local-replica.ts'
import { parsePosition } from '../live/feed-position.ts'
import { bootState } from './boot.ts'

/** Follows the changes of the session from the boot data on; another session begins anew. */
export function beginWithBoot<R extends VersionedRecord>(replica: LocalReplica<R>): void {
  const begin = () => {
    const position = bootState.get()?.position
    if (position === undefined) return
    const { history, n } = parsePosition(position)
    if (replica.history === history) return
    for (const name of [...replica.scopeNames]) replica.release(name)
    replica.follow({ history, after: n, n, changes: [] })
  }
  bootState.subscribe(begin)
  begin()
}

/** The first pause after a failed attempt; each later one is four times as long, up to the maximum. */
const RETRY_MS = 500
const MAX_RETRY_MS = 8_000

/** Waits longer after each failed attempt, but not once the network or the session is back. */
export async function waitToRetry(failedAttempts: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stepMs = Math.min(RETRY_MS * 4 ** (failedAttempts - 1), MAX_RETRY_MS)
  const timer = setTimeout(resolve, stepMs * (1 + Math.random() / 4))
  const retryNow = () => {
    if (!hasSessionEnded.get()) resolve()
  }
  addEventListener('online', retryNow)
  const stop = hasSessionEnded.subscribe(retryNow)
  await promise
  clearTimeout(timer)
  removeEventListener('online', retryNow)
  stop()
}

type Subscribe = (listener: () => void) => () => void

/** Records as the browser has stored them at a moment (ms). */
export interface StoredCopy<R extends VersionedRecord> extends ScopeCopy<R> {
  at: number
}

/** Holds a scope: as the browser has stored it at once, then exactly. */
export function holdWithCopy<R extends VersionedRecord>(
  replica: LocalReplica<R>,
  scope: ReplicaScope<R>,
  copy: StoredCopy<R> | undefined,
  subscribe: Subscribe,
): void {
  replica.hold(scope, copy)
  if (!copy) return
  // Without an answer the page says how old it is.
  const stop = subscribe(() => {
    const { mode, error } = replica.getScopeState(scope.name) ?? {}
    if (mode !== 'loading') stop()
    else if (error instanceof NetworkError) markStale(copy.at)
  })
}

/** Others may change records all the time, and each write takes part of a frame. */
const INTERVAL_MS = 2_000
const MAX_IDLE_WAIT_MS = 1_000

/**
 * Lets `write` store in the browser what the page holds, soon after each change, so that the next page
 * opens with what this one has shown last. Several tabs that hold it store the same. Returns a
 * function that ends it.
 */
export function keepCopies(write: () => void, subscribe: Subscribe): () => void {
  let isScheduled = false
  let hasEnded = false
  const writeUntilEnd = () => {
    if (!hasEnded) write()
  }
  const schedule = async () => {
    if (isScheduled) return
    isScheduled = true
    await delay(INTERVAL_MS)
    isScheduled = false
    runWhenIdle(writeUntilEnd, MAX_IDLE_WAIT_MS)
  }
  const stop = subscribe(() => void schedule())
  // Before the page writes its replies for the last time.
  addEventListener('pagehide', writeUntilEnd, { capture: true })
  runWhenIdle(writeUntilEnd, MAX_IDLE_WAIT_MS)
  return () => {
    hasEnded = true
    removeEventListener('pagehide', writeUntilEnd, { capture: true })
    stop()
  }
}
