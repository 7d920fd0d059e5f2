import { delay } from '../../lib/browser/delay.ts'
import { firstScreenLoaded } from '../../lib/browser/schedule-preload.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { atom } from '../../lib/state/atom.ts'
import { refetchAll } from '../cache/query-client.ts'
import { endOpeningFromCache, scheduleBootReload, whenBootExact } from '../session/boot.ts'
import { currentSession } from '../session/current-session.ts'
import type { LiveMessage, LiveState } from './live-message.ts'

/** Whether changes of others arrive at present. */
export const liveState = atom<LiveState>('connecting')

/** Pages of earlier versions, which send other messages, use `docket-changes`. */
const CHANNEL = 'docket-stream'
const LOAD_RETRY_MS = 5_000

/**
 * Follows what others change. Returns a function that ends it. Only tabs of the same person share a
 * channel: what another one may see, and its position in the feed, are of no use to this one.
 */
export function openLiveUpdates(workspace_id: string): () => void {
  const closing = new AbortController()
  const channel = new BroadcastChannel([CHANNEL, workspace_id, currentSession()?.user.id].join('-'))
  void start(channel, closing.signal)
  return () => {
    closing.abort()
    channel.close()
  }
}

/** Nothing on the first screen needs what is loaded here, and it misses nothing until then. */
async function start(channel: BroadcastChannel, closed: AbortSignal) {
  const early: LiveMessage[] = []
  channel.onmessage = ({ data }: MessageEvent<LiveMessage>) => early.push(data)
  await firstScreenLoaded
  await whenBootExact()
  while (!closed.aborted) {
    const module = await import('./live-tab.ts').catch(() => undefined)
    if (!module) await delay(LOAD_RETRY_MS)
    else if (!closed.aborted) {
      const tab = new module.LiveTab(channel, closed)
      for (const message of early) tab.receive(message)
      channel.onmessage = ({ data }: MessageEvent<LiveMessage>) => tab.receive(data)
      return tab.start()
    }
  }
}

// The server replies again, so data that came from the offline cache is stale.
staleSince.subscribe(() => {
  if (staleSince.get() !== undefined) return
  void refetchAll()
  if (!endOpeningFromCache()) scheduleBootReload()
})
