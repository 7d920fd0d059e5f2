import { readSince } from '../lib/kept-replies.ts'
import { signal } from '../lib/signal.ts'
import { sessionEnded } from '../lib/signed-out.ts'
import { boot, loadBoot, loadBootSoon } from './boot.ts'
import { elsewhere } from './elsewhere.ts'
import { heed, heedReset, lastChange, type Notice } from './heed.ts'
import { retryAll } from './queue.ts'
import { refetchAll, refetchFailed } from './refetch.ts'
import { checkVersion } from './version.ts'

export { lastChange }

export type LiveState = 'connecting' | 'live' | 'paused'
/** Whether changes of others are heard of just now. */
export const liveState = signal<LiveState>('connecting')

/** The server sends a heartbeat each 25 s; after this silence the connection is taken for dead. */
const SILENCE_MS = 60_000
/** After a refusal, at which a browser gives up. */
const AGAIN_MS = 2_000
const CHANNEL = 'docket-live'
const LOCK = 'docket-live-owner'

/** What the tab with the connection tells the others; `at`: from where one goes on after it. */
type Told = { state: LiveState } | { notice: Notice; at: string } | { reset: true; at: string }

/** The last notice that this tab has heard of, whoever has told it. */
let last = ''

/**
 * Opens live updates: one connection for all tabs of the browser (HTTP/1.1 has six in all), held by
 * the tab that has the lock; the others hear of it by a BroadcastChannel. Gives what closes it.
 */
export function openLive(workspace_id: string): () => void {
  last = boot.get()?.notice ?? ''
  const ending = new AbortController()
  const { signal: ended } = ending
  const channel = new BroadcastChannel(`${CHANNEL}-${workspace_id}`)
  channel.onmessage = ({ data }: MessageEvent<Told>) => take(data)
  const hold = () => own(channel, ended)
  // Without https a browser has no locks: then each tab has a connection.
  const locks = navigator.locks as LockManager | undefined
  const owning = locks ? locks.request(`${LOCK}-${workspace_id}`, { signal: ended }, hold) : hold()
  // Aborting a request that waits for the lock is how a tab leaves.
  owning.catch(() => undefined)
  return () => {
    ending.abort()
    channel.close()
  }
}

/** Holds the connection until the tab leaves. */
function own(channel: BroadcastChannel, ended: AbortSignal): Promise<void> {
  let source: EventSource | undefined
  let watch: ReturnType<typeof setTimeout> | undefined
  const tell = (told: Told) => {
    channel.postMessage(told)
    take(told)
  }

  function connect(): void {
    close()
    // Another session's notices are nobody's business here, and without one there are none.
    if (elsewhere.get() || sessionEnded.get()) {
      tell({ state: 'paused' })
      return
    }
    source = new EventSource(`/internal/live?after=${encodeURIComponent(last)}`)
    source.onopen = isLive
    source.onerror = failed
    source.addEventListener('heartbeat', isLive)
    source.addEventListener('reset', ({ lastEventId }) => {
      isLive()
      tell({ reset: true, at: lastEventId })
    })
    source.addEventListener('notice', ({ lastEventId, data }) => {
      rewatch()
      tell({ notice: JSON.parse(data) as Notice, at: lastEventId })
    })
    rewatch()
  }

  function close(): void {
    clearTimeout(watch)
    source?.close()
    source = undefined
  }

  function isLive(): void {
    tell({ state: 'live' })
    rewatch()
  }

  function rewatch(): void {
    clearTimeout(watch)
    watch = setTimeout(() => {
      tell({ state: 'paused' })
      connect()
    }, SILENCE_MS)
  }

  function failed(): void {
    tell({ state: 'paused' })
    if (source?.readyState !== EventSource.CLOSED) return
    close()
    watch = setTimeout(askAgain, AGAIN_MS * (1 + Math.random()))
  }

  /** Refused: the session may have ended, or be another one; else it was for the moment. */
  async function askAgain(): Promise<void> {
    // What it answers is heeded where it is read; a failure leads to the next try.
    await loadBoot().catch(() => undefined)
    if (!source && !ended.aborted) connect()
  }

  const stops = [elsewhere.subscribe(connect), sessionEnded.subscribe(connect)]
  connect()
  return new Promise((resolve) => {
    ended.addEventListener('abort', () => {
      for (const stop of stops) stop()
      close()
      resolve()
    })
  })
}

function take(told: Told): void {
  if ('at' in told) last = told.at || last
  if ('state' in told) note(told.state)
  else {
    note('live')
    if ('reset' in told) heedReset()
    else heed(told.notice)
  }
}

// The server answers again: what was read here in place of its answers is old.
readSince.subscribe(() => {
  if (readSince.get() !== undefined) return
  void refetchAll()
  loadBootSoon()
})

function note(state: LiveState): void {
  const before = liveState.get()
  liveState.set(state)
  if (state !== 'live' || before !== 'paused') return
  retryAll()
  if (readSince.get() === undefined) void refetchFailed()
  else readSince.set(undefined)
  // The server is there again: perhaps another version of it. If it does not say, it is asked the next time.
  checkVersion().catch(() => undefined)
}
