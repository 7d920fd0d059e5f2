import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isLoopback } from '#lib/web-origin.ts'
import type { AppContext } from '../app-context.ts'
import { sendReply } from '../reply/send.ts'
import { isDirectLocalRequest } from '../request/request-origin.ts'
import { createMetricsReader } from './request-end.ts'

const READINESS_CACHE_TTL_MS = 1_000

/** Whether this process serves requests, and the checks that this depends on. */
export interface Readiness {
  readonly isServing: boolean
  readonly isDatabaseReady: boolean
}

/**
 * Serves operators (docs/spec/api.md#health): no authentication, no rate limit, no `error` object.
 * Returns the check behind /readyz.
 */
export function serveHealth(server: FastifyInstance, context: AppContext) {
  const checkReadiness = createReadinessCheck(context)
  const readMetrics = createMetricsReader(context)
  // Behind a proxy on this machine every client has a loopback address, and some proxies add no header.
  const isLocalOnly = isLoopback(URL.parse(context.baseUrl)?.host)

  server.get('/healthz', (request, reply) =>
    sendReply(request, reply, { status: 200, body: '{"status":"ok"}' }),
  )
  server.get('/readyz', async (request, reply) => {
    const { isServing, isDatabaseReady } = await checkReadiness()
    const body = JSON.stringify({
      status: isServing ? 'ready' : 'unavailable',
      checks: { database: isDatabaseReady ? 'ok' : 'failed' },
    })
    return sendReply(request, reply, { status: isServing ? 200 : 503, body })
  })
  server.get('/metrics', async (request, reply) => {
    const { headers, raw } = request
    const isLocal = isLocalOnly && isDirectLocalRequest(raw)
    if (!isLocal && !isBearerToken(headers.authorization, context.metrics.token)) {
      return sendReply(request, reply, { status: 404, body: '{}' })
    }
    const { body, type } = await readMetrics()
    return sendReply(request, reply, { status: 200, body, headers: { 'content-type': type } })
  })
  return checkReadiness
}

/** Compares digests in constant time, so that timing reveals nothing about the token. */
function isBearerToken(authorization = '', token: string | undefined): boolean {
  if (token === undefined) return false
  const [actual, expected] = [authorization, `Bearer ${token}`].map((text) =>
    hash('sha256', text, 'buffer'),
  )
  return actual !== undefined && expected !== undefined && timingSafeEqual(actual, expected)
}

/** Queries storage at most once a second: the endpoint is public and must not become a load. */
function createReadinessCheck({ storage, lifecycle }: AppContext): () => Promise<Readiness> {
  let checkedAt = Number.NEGATIVE_INFINITY
  let result: Promise<boolean> = Promise.resolve(false)
  return async () => {
    const now = performance.now()
    if (now - checkedAt > READINESS_CACHE_TTL_MS) {
      checkedAt = now
      result = storage.isReady().catch(() => false)
    }
    const isDatabaseReady = await result
    const isServing = isDatabaseReady && !lifecycle.isStarting && !lifecycle.isDraining
    return { isServing, isDatabaseReady }
  }
}
