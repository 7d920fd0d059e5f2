import { type IncomingMessage, request } from 'node:http'
import {
  findDifferences,
  type ReceivedChange,
  RecordCopy,
  type RecordSet,
} from '../support/changes/record-copy.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import type { HistoryPerson } from './history-world.ts'

/** A copy that a stream of server-sent events keeps up to date. */
export interface StreamReader {
  copy: RecordCopy
  /** Waits until the copy equals these records; lists how it differs if it does not in time. */
  compare(expected: RecordSet): Promise<string[]>
  close(): void
}

/** Far longer than a change takes to arrive on a busy machine. */
const TIMEOUT_MS = 20_000

/** Opens a stream, and opens it again after the last event whenever the server ends it. */
export function openStreamReader(port: number, person: HistoryPerson): StreamReader {
  const copy = new RecordCopy()
  let isClosed = false
  let current: IncomingMessage | undefined
  const connect = () => {
    if (isClosed) return
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: '/api/v1/changes',
      agent: false,
      headers: {
        authorization: `Bearer ${person.key}`,
        accept: 'text/event-stream',
        ...(copy.position !== undefined && { 'last-event-id': copy.position }),
      },
    })
    const retry = () => setTimeout(connect, 20).unref()
    outgoing.once('error', retry)
    outgoing.once('response', (reply) => {
      current = reply
      let rest = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop() ?? ''
        if (reply.statusCode === 200) for (const block of blocks) applyEvent(copy, block)
      })
      if (reply.statusCode === 410) copy.clear()
      reply.once('close', retry).on('error', () => {})
    })
    outgoing.end()
  }
  connect()
  return {
    copy,
    async compare(expected) {
      const differences = () => findDifferences(copy.records, expected)
      await waitUntil('the stream', () => differences().length === 0, TIMEOUT_MS).catch(() => {})
      return differences().map((difference) => `stream of ${person.role} ${difference}`)
    },
    close() {
      isClosed = true
      current?.destroy()
    },
  }
}

function applyEvent(copy: RecordCopy, block: string): void {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )
  if (fields.get('event') === 'change')
    copy.apply(JSON.parse(fields.get('data') ?? '') as ReceivedChange)
  copy.position = fields.get('id') ?? copy.position
}
