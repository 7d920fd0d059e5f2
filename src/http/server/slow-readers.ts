import { readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Counter } from 'prom-client'
import type { Metrics, TransferLimits } from '../app-context.ts'
import { createRateWindow, type RateWindow } from '../request/transfer-timeouts.ts'

const CHECK_INTERVAL_MS = 1_000

/** How a client takes the bytes that wait for it. */
interface Reading {
  window: RateWindow
  sentBytes: number
}

/**
 * Closes connections whose clients take replies more slowly than an upload may be (docs/spec/api.md#addresses-and-methods), of
 * whatever kind they are. Only bytes that have left this computer count, and only while others wait: a stream of changes
 * that is idle has nothing that waits.
 */
export function cutSlowReaders(
  fastify: FastifyInstance,
  { registry, timeouts }: Pick<Metrics, 'registry'> & Pick<TransferLimits, 'timeouts'>,
  readQueues: () => Promise<SendQueues> = readSendQueues,
): void {
  const sockets = new Set<Socket>()
  const readings = new Map<Socket, Reading>()
  const cut = new Counter({
    name: 'docket_live_cut_total',
    help: 'Connections that were cut because replies or streams of changes were not read',
    registers: [registry],
  })

  fastify.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      readings.delete(socket)
    })
  })

  let isChecking = false
  async function checkAll(): Promise<void> {
    const waiting = [...sockets].filter(({ writableLength }) => writableLength > 0)
    for (const socket of readings.keys()) if (socket.writableLength === 0) readings.delete(socket)
    if (waiting.length === 0 || isChecking) return
    isChecking = true
    const queues = await readQueues()
    isChecking = false
    for (const socket of waiting) if (!socket.destroyed) check(socket, queues)
  }

  function check(socket: Socket, queues: SendQueues): void {
    const reading = readings.get(socket)
    const sentBytes = sentBytesOf(socket, queues)
    if (!reading) {
      readings.set(socket, { window: createRateWindow(timeouts), sentBytes })
      return
    }
    // The time between two checks may be that of a process that stood still, and is not the client's.
    const isTooSlow = reading.window.isTooSlow(sentBytes - reading.sentBytes, CHECK_INTERVAL_MS)
    reading.sentBytes = sentBytes
    if (!isTooSlow) return
    cut.inc()
    socket.destroy()
  }

  let timer: NodeJS.Timeout | undefined
  fastify.addHook('onListen', (done) => {
    timer = setInterval(checkAll, CHECK_INTERVAL_MS).unref()
    done()
  })
  fastify.addHook('onClose', (_, done) => {
    clearInterval(timer)
    done()
  })
}

/**
 * Returns how many bytes of a connection have left. `socket.bytesWritten` also counts those that wait in libuv, and
 * `socket.writableLength` counts a reply of many megabytes whole until its last byte has left.
 */
function sentBytesOf(socket: Socket, queues: SendQueues): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (!isStreamHandle(handle)) return 0
  const { bytesWritten, writeQueueSize, fd } = handle
  return bytesWritten - writeQueueSize - (queues.get(inodeOf(fd) ?? '') ?? 0)
}

const isStreamHandle = (
  handle: unknown,
): handle is { bytesWritten: number; writeQueueSize: number; fd: number } =>
  typeof handle === 'object' &&
  handle !== null &&
  ['bytesWritten', 'writeQueueSize', 'fd'].every(
    (name) => typeof Reflect.get(handle, name) === 'number',
  )

/** How many bytes Linux holds for each connection, by the inode of its socket. */
type SendQueues = ReadonlyMap<string, number>

const TABLES = process.platform === 'linux' ? ['/proc/net/tcp', '/proc/net/tcp6'] : []

/**
 * Reads how many bytes the clients of all connections have not acknowledged yet. Linux takes megabytes for a connection, and
 * then nothing more before a third of them has left: by what it takes, a client of 30 KiB/s stands still for half a minute.
 * Other systems do not tell; there, what the kernel takes counts.
 */
export async function readSendQueues(): Promise<SendQueues> {
  const queues = new Map<string, number>()
  for (const text of await Promise.all(TABLES.map(readTable))) {
    for (const line of text.split('\n')) {
      const columns = line.trim().split(/ +/)
      const [sent, inode] = [columns[4], columns[9]]
      if (sent !== undefined && inode !== undefined) queues.set(inode, Number.parseInt(sent, 16))
    }
  }
  return queues
}

/** Empty where there is none: a kernel without IPv6 lacks its table, and a sandbox may hide both. */
const readTable = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

/** The inode of a socket by its file descriptor; undefined if the system does not tell. */
function inodeOf(fd: number): string | undefined {
  if (TABLES.length === 0 || fd < 0) return undefined
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1]
  } catch {
    // A sandbox may hide the files of a process.
    return undefined
  }
}
