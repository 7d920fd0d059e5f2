import { delay } from '../../lib/browser/delay.ts'
import { recordAnswer } from '../../lib/http/fetch-or-throw.ts'
import { isPageCached } from '../../lib/http/fetch-with-cache.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { startReplyWriter } from '../../lib/http/reply-writer.ts'
import { checkAppVersion } from '../app/app-version.ts'
import { queryClient } from '../cache/query-client.ts'
import { retryFailedMutations } from '../mutations/mutation-queue.ts'
import { copyHeldRecords, followHeldRecords } from '../resources/held-records.ts'
import { deleteEndedCopies } from '../session/ended-copies.ts'
import { copyTasks } from '../tasks/copy-tasks.ts'
import { taskReplica } from '../tasks/task-replica.ts'
import { applyFeedChanges } from './apply-feed-changes.ts'
import { applyHint, applyLiveReset } from './apply-live-event.ts'
import { ChangeStream } from './change-stream.ts'
import { formatPosition, parsePosition } from './feed-position.ts'
import { followRecords } from './follow-task-change.ts'
import { hasMissedChanges, type LiveMessage, type LiveState } from './live-message.ts'
import { liveState } from './live-updates.ts'

/** How often a visible tab asks the tab with the connection for a sign of life. */
const PING_INTERVAL_MS = 2_000
/** After so many pings without an answer, the other tab counts as suspended. */
const MAX_UNANSWERED_PINGS = 4
const LOCK_RETRY_DELAY_MS = 2_000

// What the page has loaded is written once its first screen is there, as this module is.
startReplyWriter()

/**
 * Live updates of one tab. The tabs of a browser share one connection, because HTTP/1.1 allows six in
 * all: the tab that holds the lock has it and forwards what arrives. A browser suspends hidden tabs
 * without releasing their locks, so a visible tab that gets no answer from the one with the lock takes
 * the lock away; that one notices when it is resumed.
 */
export class LiveTab {
  readonly #channel: BroadcastChannel
  readonly #closed: AbortSignal
  /** The place in the feed up to which this tab has taken all changes; undefined if it has read all of late. */
  #position: string | undefined
  /** Whether hints arrive: then all that earlier ones were about has been read again. */
  #hasHints = false
  #connection: ChangeStream | undefined
  #stopLeading = () => {}
  #unansweredPings = 0

  constructor(channel: BroadcastChannel, closed: AbortSignal) {
    this.#channel = channel
    this.#closed = closed
    this.#position = readReplicaPosition()
  }

  /** Runs until the signal aborts. */
  start(): void {
    this.#closed.addEventListener('abort', copyTasks())
    this.#closed.addEventListener('abort', copyHeldRecords())
    this.#closed.addEventListener('abort', deleteEndedCopies())
    this.#closed.addEventListener('abort', followRecords())
    // Without https a browser has no locks: then each tab opens its own connection.
    const locks = navigator.locks as LockManager | undefined
    if (!locks) {
      void this.#lead()
      this.#closed.addEventListener('abort', () => this.#stopLeading())
      return
    }
    void this.#queueForLock(locks)
    const timer = setInterval(() => this.#checkLeader(locks), PING_INTERVAL_MS)
    this.#closed.addEventListener('abort', () => {
      clearInterval(timer)
      this.#stopLeading()
    })
  }

  /** Handles a message of another tab. */
  receive(message: LiveMessage): void {
    if ('ping' in message) this.#connection?.broadcastState()
    // What a suspended tab had received arrives when it is resumed, after another one took over.
    else if (!this.#connection) {
      this.#unansweredPings = 0
      this.#apply(message)
    }
  }

  async #queueForLock(locks: LockManager): Promise<void> {
    while (!this.#closed.aborted) {
      const options = { signal: this.#closed }
      // It is rejected when another tab takes the lock, and when this one closes.
      await locks.request(this.#lockName, options, () => this.#lead()).catch(() => undefined)
      this.#stopLeading()
      if (!this.#closed.aborted) await delay(LOCK_RETRY_DELAY_MS)
    }
  }

  /** The tabs of a channel share a lock. */
  get #lockName(): string {
    return `${this.#channel.name}-owner`
  }

  #checkLeader(locks: LockManager): void {
    // Timers of hidden tabs are slow, so they neither ask nor take over.
    if (this.#connection || document.visibilityState === 'hidden') return
    if (this.#unansweredPings < MAX_UNANSWERED_PINGS) {
      this.#unansweredPings += 1
      this.#channel.postMessage({ ping: true } satisfies LiveMessage)
      return
    }
    this.#unansweredPings = 0
    setLiveState('paused')
    void locks
      .request(this.#lockName, { steal: true }, () => this.#lead())
      .catch(() => undefined)
      .then(() => this.#stopLeading())
  }

  /** Holds the connection until another tab takes the lock or this one closes. */
  #lead(): Promise<void> {
    this.#stopLeading()
    if (this.#closed.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const position = this.#position ?? readReplicaPosition()
      const connection = new ChangeStream(position, (message) => {
        this.#channel.postMessage(message)
        this.#apply(message)
      })
      this.#connection = connection
      this.#stopLeading = () => {
        this.#stopLeading = () => {}
        this.#connection = undefined
        connection.close()
        resolve()
      }
    })
  }

  #apply(message: LiveMessage): void {
    // Records are read again by themselves, from where the tab has them.
    if (hasMissedChanges(this.#position, message)) applyLiveReset()
    if ('changes' in message) {
      this.#position = message.position
      applyFeedChanges(message.changes, message.position, message.previous)
    } else if ('hint' in message) applyHint(message.hint)
    else if ('reset' in message) {
      this.#position = undefined
      applyLiveReset()
    } else if ('state' in message) {
      this.#position = message.position ?? this.#position
      if (message.position !== undefined) followTo(message.position)
    }
    const state = 'state' in message ? message.state : 'live'
    // A tab that was loading has missed hints to the others.
    if (state === 'live' && !this.#hasHints) {
      this.#hasHints = true
      applyHint({})
    }
    setLiveState(state)
  }
}

/** From where the tasks of the page have to be followed. */
const readReplicaPosition = (): string | undefined =>
  taskReplica.position && formatPosition(taskReplica.position)

/** Reads again the records that were changed by what this tab has not heard. */
function followTo(position: string): void {
  const { history, n } = parsePosition(position)
  if (history !== taskReplica.history) return
  const batch = { history, after: n, n, changes: [] }
  taskReplica.follow(batch)
  followHeldRecords(batch)
}

/** Refetches the mounted queries that have failed, once the server is back. */
const refetchFailed = (): Promise<void> =>
  queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })

function setLiveState(state: LiveState): void {
  const before = liveState.get()
  liveState.set(state)
  if (state !== 'live' || before === 'live') return
  const hasReconnected = before === 'paused'
  // The server may have been upgraded. If this check fails, the next reconnect repeats it.
  if (hasReconnected || isPageCached()) checkAppVersion().catch(() => undefined)
  if (!hasReconnected) return
  retryFailedMutations()
  if (staleSince.get() === undefined) void refetchFailed()
  else recordAnswer()
}
