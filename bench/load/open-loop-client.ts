import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type LatencyHistogram, recordLatency } from './latency-histogram.ts'

/** An open loop: requests are sent at a fixed rate, however fast they are answered. */
export interface OpenLoopOptions {
  port: number
  /** Requests per second. */
  rate: number
  seconds: number
  /** The maximum of requests in flight. Further ones wait, and their latency includes the wait. */
  connections: number
  /** Complete HTTP requests as text, sent in turn. */
  requests: readonly string[]
}

/** The responses by status. */
export interface OpenLoopResult {
  /** Latencies from the due time of a request until its response. */
  latenciesSinceDue: Record<string, LatencyHistogram>
  /** Latencies from the sending of a request: the server's share. */
  latenciesSinceSent: Record<string, LatencyHistogram>
  /** Requests that were due, but never sent or never answered. */
  unansweredCount: number
  /** CPU time of this client itself, in seconds. */
  cpu: number
}

const TICK_MS = 2
/** How long to wait for requests in flight after the last one is sent. */
const DRAIN_TIMEOUT_MS = 15_000

process.once('message', async (pacing: OpenLoopOptions) => {
  process.send?.(await runLoad(pacing), () => process.exit(0))
})

async function runLoad({
  port,
  rate,
  seconds,
  connections,
  requests,
}: OpenLoopOptions): Promise<OpenLoopResult> {
  const result: OpenLoopResult = {
    latenciesSinceDue: {},
    latenciesSinceSent: {},
    unansweredCount: 0,
    cpu: 0,
  }
  const idle: (() => void)[] = []
  const texts = requests.map((text) => Buffer.from(text))
  let began = 0
  /** At the end, requests that are due but not sent are given up. */
  let isOver = false
  let open = 0
  let made = 0
  let sent = 0
  let underWay = 0

  function openConnection(): void {
    open += 1
    let dueAt = 0
    let sentAt = 0
    const socket = connect(port, '127.0.0.1').setNoDelay()
    const free = (status: string) => {
      const now = performance.now()
      underWay -= 1
      recordLatency(countsOf(result.latenciesSinceDue, status), now - dueAt)
      recordLatency(countsOf(result.latenciesSinceSent, status), now - sentAt)
      next()
    }
    const next = () => {
      if (sent < made && !isOver) send()
      else idle.push(send)
    }
    const send = () => {
      // Requests are sent in the order of their due times, so a counter replaces a queue.
      ;[dueAt, sentAt] = [began + (sent * 1_000) / rate, performance.now()]
      underWay += 1
      socket.write(texts[sent++ % texts.length] ?? '')
    }
    listen(socket, free)
    let isConnected = false
    socket.on('connect', () => {
      isConnected = true
      next()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      open -= 1
      const at = idle.indexOf(send)
      if (at >= 0) idle.splice(at, 1)
      else if (isConnected) underWay -= 1
      openConnection()
    })
  }

  // All connections are open before the measurement starts, so that it excludes connecting.
  while (open < connections) {
    openConnection()
    if (open % 50 === 0) await pause(5)
  }
  while (idle.length < connections) await pause(5)
  const before = process.cpuUsage()
  began = performance.now()
  await new Promise<void>((over) => {
    const timer = setInterval(() => {
      const now = performance.now()
      const passed = now - began
      const wanted = Math.floor((Math.min(passed, seconds * 1_000) * rate) / 1_000)
      for (; made < wanted; made++) idle.shift()?.()
      isOver = passed > seconds * 1_000
      if (!isOver || (underWay > 0 && passed < seconds * 1_000 + DRAIN_TIMEOUT_MS)) return
      clearInterval(timer)
      over()
    }, TICK_MS)
  })
  const { user, system } = process.cpuUsage(before)
  result.cpu = (user + system) / 1e6
  const answered = Object.values(result.latenciesSinceDue).flatMap((counts) =>
    Object.values(counts),
  )
  result.unansweredCount = made - answered.reduce((sum, times) => sum + times, 0)
  return result
}

function countsOf(all: Record<string, LatencyHistogram>, status: string): LatencyHistogram {
  const counts = all[status] ?? {}
  all[status] = counts
  return counts
}

/** Parses only the status and the length of each response. */
function listen(socket: Socket, ended: (status: string) => void): void {
  let head = ''
  let missing = 0
  let status = ''
  socket.on('data', (chunk) => {
    if (missing > 0) missing -= chunk.length
    else {
      head += chunk.toString('latin1')
      const over = head.indexOf('\r\n\r\n')
      if (over < 0) return
      status = head.slice(9, 12)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      missing = length - (head.length - over - 4)
      head = ''
    }
    if (missing <= 0) ended(status)
  })
}
