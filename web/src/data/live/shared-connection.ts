import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { loadBoot } from '../session/boot.ts'
import { sessionMismatch } from '../session/current-session.ts'
import { ChangeStream } from './change-stream.ts'
import type { LiveEvent, LiveMessage } from './live-message.ts'
import type { LiveState } from './live-state.ts'

/** The server sends a heartbeat every 25 s; after this silence the connection counts as dead. */
const SILENCE_LIMIT_MS = 60_000
/** The timers of a machine do not count the time for which it sleeps, its clock does. */
const SILENCE_CHECK_INTERVAL_MS = 5_000
/** Delay before reconnecting after an error reply, at which an EventSource itself gives up. */
const RECONNECT_DELAY_MS = 2_000
/** What the feed of changes tells with the whole record. */
const FOLLOWED_NOUNS: ReadonlySet<string> = new Set(['task', 'project'])

/** Where to go on, and where to send what arrives. */
export interface SharedConnectionOptions {
  latestEventId(): string
  position: string | undefined
  broadcast(message: LiveMessage): void
}

/** The two streams of the tab that listens for all: notices of every write, and the feed of changes. */
export interface SharedConnection {
  /** Broadcasts the state, as an answer to a ping. */
  broadcastState(): void
  close(): void
}

/** Connects to the server, and again after each interruption, until it is closed. */
export function openSharedConnection({
  latestEventId,
  position,
  broadcast,
}: SharedConnectionOptions): SharedConnection {
  let source: EventSource | undefined
  let recheckTimer: ReturnType<typeof setTimeout> | undefined
  let heardAt = Date.now()
  let state: LiveState = 'connecting'
  let isClosed = false
  const changes = new ChangeStream(position, {
    onChanges(batch, at, previous) {
      broadcast({ changes: batch, position: at, previous })
    },
    onRestart() {
      broadcast({ reset: 'all', at: '' })
    },
  })

  function connect(): void {
    disconnect()
    // Events of another session do not belong on this page, and without a session there are none.
    if (sessionMismatch.get() || hasSessionEnded.get()) {
      setState('paused')
      return
    }
    source = new EventSource(`/internal/live?after=${encodeURIComponent(latestEventId())}`)
    source.onopen = markLive
    source.onerror = handleError
    source.addEventListener('heartbeat', markLive)
    source.addEventListener('reset', ({ lastEventId }) => {
      markLive()
      broadcast({ reset: 'notices', at: lastEventId })
    })
    source.addEventListener('notice', ({ lastEventId, data }) => {
      markHeard()
      const notice = JSON.parse(data) as LiveEvent
      const isFollowed = FOLLOWED_NOUNS.has(notice.noun)
      if (isFollowed) changes.expectChange()
      broadcast({
        notice: isFollowed ? undefined : notice,
        at: lastEventId,
        previous: latestEventId(),
      })
    })
    changes.open()
    markHeard()
  }

  function disconnect(): void {
    clearTimeout(recheckTimer)
    changes.close()
    source?.close()
    source = undefined
  }

  function broadcastState(): void {
    broadcast({
      state,
      at: latestEventId(),
      position: changes.position,
    })
  }

  function setState(next: LiveState): void {
    state = next
    broadcastState()
  }

  function markLive(): void {
    setState('live')
    markHeard()
  }

  function markHeard(): void {
    heardAt = Date.now()
  }

  /** Connects anew after a silence, or if the clock was set back, since when one would not be noticed. */
  function checkSilence(): void {
    if (source && Math.abs(Date.now() - heardAt) > SILENCE_LIMIT_MS) reconnect()
  }

  function reconnect(): void {
    setState('paused')
    connect()
  }

  function handleError(): void {
    setState('paused')
    if (source?.readyState !== EventSource.CLOSED) return
    disconnect()
    recheckTimer = setTimeout(recheckSession, RECONNECT_DELAY_MS * (1 + Math.random()))
  }

  /** Checks the session after an error reply: it may have ended or changed. Then reconnects. */
  async function recheckSession(): Promise<void> {
    // Loading handles a changed session itself; after a failure the next attempt follows.
    await loadBoot().catch(() => undefined)
    if (!source && !isClosed) connect()
  }

  const stops = [sessionMismatch.subscribe(connect), hasSessionEnded.subscribe(connect)]
  // A connection from before an outage may lead nowhere without an error.
  addEventListener('online', reconnect)
  const silenceTimer = setInterval(checkSilence, SILENCE_CHECK_INTERVAL_MS)
  connect()
  return {
    broadcastState,
    close() {
      isClosed = true
      clearInterval(silenceTimer)
      removeEventListener('online', reconnect)
      for (const stop of stops) stop()
      disconnect()
    },
  }
}
