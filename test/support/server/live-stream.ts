import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { RecordChange } from '#wire/record-change.ts'

/** An event that has not arrived by then counts as missing. */
const TIMEOUT_MS = 30_000

/** A server-sent event: its fields and parsed data. */
export interface LiveStreamEvent {
  event: string
  id: string | undefined
  notice: RecordChange
  /** `performance.now()` when it arrived. */
  receivedAt: number
}

/** A live connection of the web app, read by a minimal event-stream client. */
export interface LiveConnection {
  reply: IncomingMessage
  events: LiveStreamEvent[]
  /** The raw text received so far. */
  text: () => string
  /** The id that a client would send as `Last-Event-ID`. */
  lastId: () => string
  /** Waits until this many events have arrived; fails after 30 seconds. */
  waitForEvents: (count: number) => Promise<LiveStreamEvent[]>
  /** Whether the connection ended within a time, 30 seconds by default. */
  endsWithin: (ms?: number) => Promise<boolean>
  close: () => void
}

/** Opens the live connection of a session, optionally resuming after an event id. */
export async function openLiveStream(
  port: number,
  headers: Record<string, string>,
  { after, reads = true }: { after?: string; reads?: boolean } = {},
): Promise<LiveConnection> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/internal/live',
    headers: { ...headers, ...(after !== undefined && { 'last-event-id': after }) },
  }).end()
  outgoing.on('error', () => {})
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  const heard: LiveStreamEvent[] = []
  let [text, rest, last, ended] = ['', '', '', false]
  const take = (chunk: string) => {
    text += chunk
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ')[0], valueOfLine(line)]),
      )
      last = fields.get('id') ?? last
      const data = fields.get('data')
      if (data === undefined) continue
      const event = fields.get('event') ?? 'message'
      const notice = JSON.parse(data) as RecordChange
      heard.push({ event, id: fields.get('id'), notice, receivedAt: performance.now() })
    }
  }
  reply.setEncoding('utf8')
  if (reads) reply.on('data', take)
  for (const end of ['end', 'close', 'error']) {
    reply.on(end, () => {
      ended = true
    })
  }
  const waitUpTo = async (ms: number, done: () => boolean) => {
    for (const end = performance.now() + ms; !done() && performance.now() < end; ) await pause(5)
    return done()
  }
  if (reads) await waitUpTo(TIMEOUT_MS, () => text !== '' || ended)
  return {
    reply,
    events: heard,
    text: () => text,
    lastId: () => last,
    async waitForEvents(count) {
      if (await waitUpTo(TIMEOUT_MS, () => heard.length >= count)) return heard
      throw new Error(`${heard.length} events, not ${count}: ${text}`)
    },
    endsWithin: (ms = TIMEOUT_MS) => waitUpTo(ms, () => ended),
    close: () => outgoing.destroy(),
  }
}

const valueOfLine = (line: string) => line.slice(line.indexOf(': ') + 2)
