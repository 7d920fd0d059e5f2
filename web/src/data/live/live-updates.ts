import { staleSince } from '../../lib/http/reply-cache.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { atom } from '../../lib/state/atom.ts'
import { checkAppVersion } from '../app/app-version.ts'
import { refetchAll, refetchFailed } from '../cache/query-client.ts'
import { retryFailedMutations } from '../mutations/mutation-queue.ts'
import { bootState, loadBoot, scheduleBootReload } from '../session/boot.ts'
import { sessionMismatch } from '../session/current-session.ts'
import { applyLiveEvent, applyLiveReset, type LiveEvent, lastChangeAt } from './apply-live-event.ts'

export { lastChangeAt }

export type LiveState = 'connecting' | 'live' | 'paused'
/** Whether live events arrive at present. */
export const liveState = atom<LiveState>('connecting')

/** The server sends a heartbeat every 25 s; after this silence the connection counts as dead. */
const SILENCE_TIMEOUT_MS = 60_000
/** Delay before reconnecting after an error reply, at which an EventSource itself gives up. */
const RECONNECT_DELAY_MS = 2_000
/** How often a tab notes where the feed of changes stands, to catch up from there. */
const NOTE_INTERVAL_MS = 30_000
const CHANNEL = 'docket-live'
const LOCK = 'docket-live-owner'

/** What the tab with the connection broadcasts to the others; `at` is the id to resume after. */
type LiveMessage =
  | { state: LiveState }
  | { notice: LiveEvent; at: string }
  | { reset: true; at: string }

/** The id of the last event that this tab has received, from the server or another tab. */
let latestEventId = ''

/**
 * Opens live updates. All tabs share one connection, because HTTP/1.1 allows six in all: the tab
 * that holds the lock has it and forwards events on a BroadcastChannel. Returns a close function.
 */
export function openLiveUpdates(workspace_id: string): () => void {
  latestEventId = bootState.get()?.notice ?? ''
  const noteTimer = setInterval(notePosition, NOTE_INTERVAL_MS)
  const closing = new AbortController()
  const { signal: closed } = closing
  const channel = new BroadcastChannel(`${CHANNEL}-${workspace_id}`)
  channel.onmessage = ({ data }: MessageEvent<LiveMessage>) => handleMessage(data)
  const connectWhileOwner = () => holdConnection(channel, closed)
  // Without https a browser has no locks: then each tab opens its own connection.
  const locks = navigator.locks as LockManager | undefined
  const owning = locks
    ? locks.request(`${LOCK}-${workspace_id}`, { signal: closed }, connectWhileOwner)
    : connectWhileOwner()
  // A tab that closes while it waits for the lock aborts this request.
  owning.catch(() => undefined)
  return () => {
    closing.abort()
    clearInterval(noteTimer)
    channel.close()
  }
}

/** Holds the connection until the tab closes live updates. */
function holdConnection(channel: BroadcastChannel, closed: AbortSignal): Promise<void> {
  let source: EventSource | undefined
  let silenceTimer: ReturnType<typeof setTimeout> | undefined
  const broadcast = (message: LiveMessage) => {
    channel.postMessage(message)
    handleMessage(message)
  }

  function connect(): void {
    close()
    // Events of another session do not belong on this page, and without a session there are none.
    if (sessionMismatch.get() || hasSessionEnded.get()) {
      broadcast({ state: 'paused' })
      return
    }
    source = new EventSource(`/internal/live?after=${encodeURIComponent(latestEventId)}`)
    source.onopen = markLive
    source.onerror = handleError
    source.addEventListener('heartbeat', markLive)
    source.addEventListener('reset', ({ lastEventId }) => {
      markLive()
      broadcast({ reset: true, at: lastEventId })
    })
    source.addEventListener('notice', ({ lastEventId, data }) => {
      restartSilenceTimer()
      broadcast({ notice: JSON.parse(data) as LiveEvent, at: lastEventId })
    })
    restartSilenceTimer()
  }

  function close(): void {
    clearTimeout(silenceTimer)
    source?.close()
    source = undefined
  }

  function markLive(): void {
    broadcast({ state: 'live' })
    restartSilenceTimer()
  }

  function restartSilenceTimer(): void {
    clearTimeout(silenceTimer)
    silenceTimer = setTimeout(() => {
      broadcast({ state: 'paused' })
      connect()
    }, SILENCE_TIMEOUT_MS)
  }

  function handleError(): void {
    broadcast({ state: 'paused' })
    if (source?.readyState !== EventSource.CLOSED) return
    close()
    silenceTimer = setTimeout(recheckSession, RECONNECT_DELAY_MS * (1 + Math.random()))
  }

  /** Checks the session after an error reply: it may have ended or changed. Then reconnects. */
  async function recheckSession(): Promise<void> {
    // Loading handles a changed session itself; after a failure the next attempt follows.
    await loadBoot().catch(() => undefined)
    if (!source && !closed.aborted) connect()
  }

  const stops = [sessionMismatch.subscribe(connect), hasSessionEnded.subscribe(connect)]
  connect()
  return new Promise((resolve) => {
    closed.addEventListener('abort', () => {
      for (const stop of stops) stop()
      close()
      resolve()
    })
  })
}

function handleMessage(message: LiveMessage): void {
  if ('at' in message) latestEventId = message.at || latestEventId
  if ('state' in message) setLiveState(message.state)
  else {
    setLiveState('live')
    if ('reset' in message && missedChanges) void catchUp()
    else if ('reset' in message) applyLiveReset()
    else applyLiveEvent(message.notice)
  }
}

/** Loaded when a position in the feed of changes is first noted; before, there is nothing to catch up from. */
let missedChanges: typeof import('./missed-changes.ts') | undefined

async function notePosition(): Promise<void> {
  missedChanges ??= await import('./missed-changes.ts').catch(() => undefined)
  await missedChanges?.notePosition(() => liveState.get() === 'live')
}

/** Asks for the changes that this tab has missed, or else reads everything again. */
async function catchUp(): Promise<void> {
  if (await missedChanges?.applyMissedChanges()) return
  // Another session must not fill this page.
  if (!sessionMismatch.get() && !hasSessionEnded.get()) applyLiveReset()
}

// The server replies again, so data that came from the offline cache is stale.
staleSince.subscribe(() => {
  if (staleSince.get() !== undefined) return
  void refetchAll()
  scheduleBootReload()
})

function setLiveState(state: LiveState): void {
  const before = liveState.get()
  liveState.set(state)
  if (state !== 'live' || before !== 'paused') return
  retryFailedMutations()
  if (staleSince.get() === undefined) void refetchFailed()
  else staleSince.set(undefined)
  // The server may have been upgraded. If this check fails, the next reconnect repeats it.
  checkAppVersion().catch(() => undefined)
}
