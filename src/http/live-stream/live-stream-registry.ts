import { setTimeout as pause } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { ApiError } from '#core/api-error.ts'
import type { ChangeFeed } from '#core/changes/change-feed.ts'
import { StreamSlots } from '../event-streams/stream-slots.ts'
import type { LiveStream } from './live-stream.ts'

const MAX_STREAMS_PER_PERSON = 10
/** Interval of authenticating again: lost access must take effect within a second. */
const REVALIDATE_INTERVAL_MS = 500
/** Clients give up a stream that is silent for much longer. */
const HEARTBEAT_INTERVAL_MS = 25_000

/** All live streams of this process: limits them per person, revalidates and ends them. */
export class LiveStreamRegistry {
  readonly #open = new Set<LiveStream>()
  /** By person. */
  readonly #slots = new StreamSlots()
  readonly #metrics: ReturnType<typeof registerLiveMetrics>
  #timer: NodeJS.Timeout | undefined
  #nextHeartbeatAt = 0

  constructor(registry: Registry, notices: ChangeFeed) {
    this.#metrics = registerLiveMetrics(registry, notices, () => this.#open.size)
  }

  /** Takes a slot; the function that is returned releases it, and must be called once. */
  acquireSlot(user_id: string | null): () => void {
    return this.#slots.acquire(user_id, MAX_STREAMS_PER_PERSON, () => {
      const message = `You already have ${MAX_STREAMS_PER_PERSON} live connections. Close a browser tab.`
      return new ApiError(429, 'too_many_session_requests', message, {
        headers: { 'retry-after': '5' },
      })
    })
  }

  /** Adds an open stream, whose slot was acquired before. */
  add(stream: LiveStream): void {
    this.#open.add(stream)
    stream.onSent = (changes) => this.#metrics.notices.inc(changes)
    stream.onClose = (reason) => {
      this.#open.delete(stream)
      if (reason === 'lag') this.#metrics.cut.inc()
    }
    this.#timer ??= this.#startTimer()
    // It was being opened while the server began to stop.
    if (this.#slots.isClosed) stream.end()
  }

  /** Ends all streams, whose clients then reconnect, and accepts no further ones. */
  async end(): Promise<void> {
    this.#slots.close()
    clearInterval(this.#timer)
    for (const stream of this.#open) stream.end()
    // Lets the last bytes leave before the server closes the connections.
    if (this.#open.size > 0) await pause(FLUSH_MS)
  }

  #startTimer(): NodeJS.Timeout {
    this.#nextHeartbeatAt = performance.now() + HEARTBEAT_INTERVAL_MS
    const timer = setInterval(() => {
      const isHeartbeatDue = performance.now() >= this.#nextHeartbeatAt
      if (isHeartbeatDue) this.#nextHeartbeatAt += HEARTBEAT_INTERVAL_MS
      for (const stream of this.#open) {
        if (isHeartbeatDue) stream.sendHeartbeat()
        stream.revalidate()
      }
      if (this.#open.size > 0) return
      clearInterval(timer)
      this.#timer = undefined
    }, REVALIDATE_INTERVAL_MS)
    return timer.unref()
  }
}

const FLUSH_MS = 20

function registerLiveMetrics(registry: Registry, changes: ChangeFeed, countOpen: () => number) {
  const registers = [registry]
  if (changes.isPeerBusConnected !== undefined) {
    new Gauge({
      name: 'docket_notices_linked',
      help: '1 while this process hears at once what others on the database write',
      aggregator: 'min',
      registers,
      collect() {
        this.set(changes.isPeerBusConnected ? 1 : 0)
      },
    })
  }
  new Counter({
    name: 'docket_notices_resets_total',
    help: 'How often a live connection was told to read anew, for it may have missed something',
    registers,
    collect() {
      this.reset()
      this.inc(changes.resets)
    },
  })
  new Gauge({
    name: 'docket_live_streams',
    help: 'Live connections that are open',
    registers,
    collect() {
      this.set(countOpen())
    },
  })
  const notices = new Counter({
    name: 'docket_live_notices_total',
    help: 'Notices written to live connections',
    registers,
  })
  const cut = new Counter({
    name: 'docket_live_cut_total',
    help: 'Live connections that were cut because they did not read',
    registers,
  })
  return { notices, cut }
}
