import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Counts, count } from './latencies.ts'

/** What a generator offers, however fast it is answered. */
export interface Pacing {
  port: number
  /** Requests a second. */
  rate: number
  seconds: number
  /** So many may be under way; one that is due then waits here, and its time counts from when it was due. */
  connections: number
  /** Whole requests, as they travel, in turn. */
  requests: readonly string[]
}

/** What came back, by status. */
export interface Paced {
  /** From when a request was due until its reply was there. */
  times: Record<string, Counts>
  /** From when it was sent: what the server alone took. */
  replies: Record<string, Counts>
  /** Due, and never sent or never answered. */
  lost: number
  /** Seconds of processor time that the generator took itself. */
  cpu: number
}

const TICK_MS = 2
/** For what is under way when no more is sent. */
const PATIENCE_MS = 15_000

process.once('message', async (pacing: Pacing) => {
  process.send?.(await offer(pacing), () => process.exit(0))
})

async function offer({ port, rate, seconds, connections, requests }: Pacing): Promise<Paced> {
  const told: Paced = { times: {}, replies: {}, lost: 0, cpu: 0 }
  const idle: (() => void)[] = []
  const texts = requests.map((text) => Buffer.from(text))
  let began = 0
  /** When no more is sent, those that are due are given up. */
  let isOver = false
  let open = 0
  let made = 0
  let sent = 0
  let underWay = 0

  function opened(): void {
    open += 1
    let dueAt = 0
    let sentAt = 0
    const socket = connect(port, '127.0.0.1').setNoDelay()
    const free = (status: string) => {
      const now = performance.now()
      underWay -= 1
      count(countsOf(told.times, status), now - dueAt)
      count(countsOf(told.replies, status), now - sentAt)
      next()
    }
    const next = () => {
      if (sent < made && !isOver) send()
      else idle.push(send)
    }
    const send = () => {
      // Requests are sent in the order in which they are due: a list of those that wait would only cost.
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
      opened()
    })
  }

  // All are connected before: what is measured is the serving of requests.
  while (open < connections) {
    opened()
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
      if (!isOver || (underWay > 0 && passed < seconds * 1_000 + PATIENCE_MS)) return
      clearInterval(timer)
      over()
    }, TICK_MS)
  })
  const { user, system } = process.cpuUsage(before)
  told.cpu = (user + system) / 1e6
  const answered = Object.values(told.times).flatMap((counts) => Object.values(counts))
  told.lost = made - answered.reduce((sum, times) => sum + times, 0)
  return told
}

function countsOf(all: Record<string, Counts>, status: string): Counts {
  const counts = all[status] ?? {}
  all[status] = counts
  return counts
}

/** Reads of each reply the status and the length. */
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
