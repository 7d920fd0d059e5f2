import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Counter } from 'prom-client'
import type { AppContext } from '../app-context.ts'
import { createRateWindow, type RateWindow } from '../request/transfer-timeouts.ts'

const CHECK_INTERVAL_MS = 1_000

/** How a client takes the bytes that wait for it. */
interface Reading {
  window: RateWindow
  sentBytes: number
}

/**
 * Closes connections whose clients take replies more slowly than an upload may be (docs/spec/api.md#addresses-and-methods), of
 * whatever kind they are. Only bytes that have left this process count, and only while others wait: a stream of changes
 * that is idle has nothing that waits.
 */
export function cutSlowReaders(
  fastify: FastifyInstance,
  { registry, transferTimeouts }: Pick<AppContext, 'registry' | 'transferTimeouts'>,
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

  function check(socket: Socket): void {
    const reading = readings.get(socket)
    if (socket.writableLength === 0) {
      if (reading) readings.delete(socket)
      return
    }
    const sentBytes = sentBytesOf(socket)
    if (!reading) {
      readings.set(socket, { window: createRateWindow(transferTimeouts), sentBytes })
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
    timer = setInterval(() => sockets.forEach(check), CHECK_INTERVAL_MS).unref()
    done()
  })
  fastify.addHook('onClose', (_, done) => {
    clearInterval(timer)
    done()
  })
}

/**
 * Returns how many bytes of a connection the kernel has accepted. `socket.bytesWritten` also counts those that wait in
 * libuv, and `socket.writableLength` counts a reply of many megabytes whole until its last byte has left.
 */
function sentBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  return isStreamHandle(handle) ? handle.bytesWritten - handle.writeQueueSize : 0
}

const isStreamHandle = (
  handle: unknown,
): handle is { bytesWritten: number; writeQueueSize: number } =>
  typeof handle === 'object' &&
  handle !== null &&
  typeof Reflect.get(handle, 'bytesWritten') === 'number' &&
  typeof Reflect.get(handle, 'writeQueueSize') === 'number'
