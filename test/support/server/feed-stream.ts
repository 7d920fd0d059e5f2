import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { waitUntil } from '../system/wait-until.ts'

/** A server-sent event of the feed of changes. */
export interface FeedEvent {
  event: string
  id: string | undefined
  data: {
    op?: string
    type?: string
    id?: string
    position?: string
    error?: { code: string }
    /** Of hints. */
    noun?: string
    project_id?: string
    operation_id?: string
  }
}

/** A stream of the feed of changes, read by a minimal event-stream client. */
export interface FeedConnection {
  reply: IncomingMessage
  events: FeedEvent[]
  /** The raw text received so far. */
  text: () => string
  /** Waits until so many events with a name have come. */
  waitFor: (event: string, count?: number) => Promise<void>
  hasEnded: () => boolean
  /** Waits for the end of the reply. */
  waitForEnd: () => Promise<void>
  close: () => void
}

interface StreamOptions {
  method?: 'GET' | 'HEAD'
  /** In place of the public feed. */
  path?: string
  lastEventId?: string
  headers?: Record<string, string>
  /** In place of the credential that is given otherwise. */
  authorization?: Record<string, string>
}

/** Opens a stream of `GET /api/v1/changes` or of another feed; resolves with its head. */
export async function openFeedStream(
  port: number,
  credential: Record<string, string>,
  query: string,
  {
    method = 'GET',
    path = '/api/v1/changes',
    lastEventId,
    headers = {},
    authorization = credential,
  }: StreamOptions = {},
): Promise<FeedConnection> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path: path + query,
    headers: {
      ...authorization,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...headers,
    },
  }).end()
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => {})
  reply.on('error', () => {})
  let [text, parsed, hasEnded] = ['', 0, false]
  const events: FeedEvent[] = []
  reply.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    for (let end = text.indexOf('\n\n', parsed); end !== -1; end = text.indexOf('\n\n', parsed)) {
      const event = parseEvent(text.slice(parsed, end))
      if (event) events.push(event)
      parsed = end + 2
    }
  })
  reply.once('close', () => {
    hasEnded = true
  })
  const countOf = (name: string) => events.filter(({ event }) => event === name).length
  return {
    reply,
    events,
    text: () => text,
    waitFor: (name, count = 1) =>
      waitUntil(
        () => `${count} events ${name}: ${text}`,
        () => countOf(name) >= count,
      ),
    hasEnded: () => hasEnded,
    waitForEnd: () => waitUntil('the end of the stream', () => hasEnded),
    close: () => outgoing.destroy(),
  }
}

function parseEvent(block: string): FeedEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) }
}
