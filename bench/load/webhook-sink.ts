import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A webhook receiver in its own process: `/hang` never answers, `/timed` records when each event
 * arrives, and all other requests are only counted.
 */
let count = 0
/** The arrival times of each hundredth request, in milliseconds since 1970. */
let hundreds: number[] = []
let timed: TimedEvent[] = []

/** When an event was committed, by its envelope, and when it arrived: milliseconds since 1970. */
export interface TimedEvent {
  subject: string
  committed: number
  arrived: number
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const arrived = Date.now()
  if (request.url === '/hang') return
  const chunks: Buffer[] = []
  if (request.url === '/timed') {
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => recordEvent(Buffer.concat(chunks).toString(), arrived))
  }
  request.resume().on('end', () => {
    count += 1
    if (count % 100 === 0) hundreds.push(Date.now())
    response.writeHead(200, { 'content-length': 2 }).end('ok')
  })
}

function recordEvent(body: string, arrived: number): void {
  const { timestamp, data } = JSON.parse(body)
  timed.push({ subject: data.id, committed: Date.parse(timestamp), arrived })
}

process.on('message', (message: { forget?: true }) => {
  process.send?.({ count, hundreds, timed })
  if (!message.forget) return
  count = 0
  hundreds = []
  timed = []
})

const server = createServer({ keepAliveTimeout: 60_000 }, receive).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
