import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../system/wait-until.ts'
import { type FeedConnection, type FeedEvent, openFeedStream } from './feed-stream.ts'

/** A stream of changes and hints, as a page of the web app opens it. */
export interface LiveConnection extends FeedConnection {
  /** The changes and hints so far, without what only says how far the stream is. */
  news: () => FeedEvent[]
  /** Waits until a change or hint about a record has come. */
  waitForRecord: (id: string) => Promise<void>
  /** Whether the connection ended within a time, 30 seconds by default. */
  endsWithin: (ms?: number) => Promise<boolean>
}

/** Opens the stream of a session; resolves once it has caught up, or is refused. */
export async function openLiveStream(
  port: number,
  headers: Record<string, string>,
): Promise<LiveConnection> {
  const stream = await openFeedStream(port, headers, '?after=now', { path: '/internal/changes' })
  const hasCaughtUp = () => stream.events.some(({ event }) => event === 'caught_up')
  await waitUntil('the position', () => hasCaughtUp() || stream.hasEnded())
  const news = () => stream.events.filter(({ event }) => event === 'change' || event === 'stale')
  return {
    ...stream,
    news,
    waitForRecord: (id) => waitUntil(stream.text, () => news().some(({ data }) => data.id === id)),
    async endsWithin(ms = 30_000) {
      const end = performance.now() + ms
      while (!stream.hasEnded() && performance.now() < end) await pause(5)
      return stream.hasEnded()
    },
  }
}
