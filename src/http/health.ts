import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from './arrival.ts'
import type { House } from './house.ts'
import { metrics } from './metrics.ts'
import { send } from './send.ts'

const READY_KEPT_MS = 1_000

/** For those who run Docket (contract 10.2): no authentication, no limit, no `error` shape. */
export function serveHealth(server: FastifyInstance, house: House) {
  const ready = readiness(house)
  const measured = metrics(house)

  server.get('/healthz', (request, reply) =>
    send(request, reply, { status: 200, body: '{"status":"ok"}' }),
  )
  server.get('/readyz', async (request, reply) => {
    const ok = await ready()
    const serving = ok && !house.starting && !house.drain.draining
    const body = JSON.stringify({
      status: serving ? 'ready' : 'unavailable',
      checks: { database: ok ? 'ok' : 'failed' },
    })
    return send(request, reply, { status: serving ? 200 : 503, body })
  })
  server.get('/metrics', async (request, reply) => {
    const { headers, raw } = request
    const direct = !FORWARDED.some((name) => name in headers)
    const near = direct && isNear(raw.socket.remoteAddress)
    if (!near && !isToken(headers.authorization, house.metricsToken)) {
      return send(request, reply, { status: 404, body: '{}' })
    }
    const { body, type } = await measured()
    return send(request, reply, { status: 200, body, headers: { 'content-type': type } })
  })
}

/** What proxies add: behind one on this machine everybody would be near. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Compared by digests, in a time that does not depend on how much of it is right. */
function isToken(authorization = '', token: string | undefined): boolean {
  if (token === undefined) return false
  const [is, wanted] = [authorization, `Bearer ${token}`].map((text) =>
    hash('sha256', text, 'buffer'),
  )
  return is !== undefined && wanted !== undefined && timingSafeEqual(is, wanted)
}

const isNear = (address = '') => isLoopback(address.replace(/^::ffff:/, ''))

/** Asks storage at most once a second: whoever asks for readiness must not wear it out. */
function readiness({ storage }: House): () => Promise<boolean> {
  let asked = Number.NEGATIVE_INFINITY
  let answer: Promise<boolean> = Promise.resolve(false)
  return () => {
    const now = performance.now()
    if (now - asked > READY_KEPT_MS) {
      asked = now
      answer = storage.ready().catch(() => false)
    }
    return answer
  }
}
