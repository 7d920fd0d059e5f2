import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Notice } from '#wire/notice.ts'

/** What comes later than this does not come. */
const PATIENCE_MS = 30_000

/** An event of a stream: its fields, and the notice where it is one. */
export interface Heard {
  event: string
  id: string | undefined
  notice: Notice
  /** `performance.now()` when it came. */
  at: number
}

/** A live connection, read by a client of our own. */
export interface Live {
  reply: IncomingMessage
  heard: Heard[]
  /** All that came, as it came. */
  text: () => string
  /** The id that a client would go on from. */
  lastId: () => string
  /** Waits until there are so many events; fails if they never come. */
  until: (count: number) => Promise<Heard[]>
  /** Whether it ended within a time, half a minute where none is said. */
  endsWithin: (ms?: number) => Promise<boolean>
  close: () => void
}

/** Opens the live connection of a session, after a notice if one is named. */
export async function openLive(
  port: number,
  headers: Record<string, string>,
  { after, reads = true }: { after?: string; reads?: boolean } = {},
): Promise<Live> {
  const asked = request({
    ...{ host: '127.0.0.1', port, path: '/internal/live' },
    headers: { ...headers, ...(after !== undefined && { 'last-event-id': after }) },
  }).end()
  asked.on('error', () => {})
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  const heard: Heard[] = []
  let [text, rest, last, ended] = ['', '', '', false]
  const take = (chunk: string) => {
    text += chunk
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.split(': ')[0], after_(line)]))
      last = fields.get('id') ?? last
      const data = fields.get('data')
      if (data === undefined) continue
      const event = fields.get('event') ?? 'message'
      const notice = JSON.parse(data) as Notice
      heard.push({ event, id: fields.get('id'), notice, at: performance.now() })
    }
  }
  reply.setEncoding('utf8')
  if (reads) reply.on('data', take)
  for (const end of ['end', 'close', 'error']) {
    reply.on(end, () => {
      ended = true
    })
  }
  const within = async (ms: number, done: () => boolean) => {
    for (const end = performance.now() + ms; !done() && performance.now() < end; ) await pause(5)
    return done()
  }
  if (reads) await within(PATIENCE_MS, () => text !== '' || ended)
  return {
    reply,
    heard,
    text: () => text,
    lastId: () => last,
    async until(count) {
      if (await within(PATIENCE_MS, () => heard.length >= count)) return heard
      throw new Error(`${heard.length} events, not ${count}: ${text}`)
    },
    endsWithin: (ms = PATIENCE_MS) => within(ms, () => ended),
    close: () => asked.destroy(),
  }
}

const after_ = (line: string) => line.slice(line.indexOf(': ') + 2)
