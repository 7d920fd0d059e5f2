import type { FastifyRequest } from 'fastify'
import { ApiError } from '#core/api-error.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Rejects a write that a page of another origin made a browser send (docs/spec/api.md#session-cookie). No page can
 * forge the Sec-Fetch-Site header of a browser. A client without it must send the base URL as its
 * Origin.
 */
export function assertSameOrigin({ method, headers }: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(method)) return
  const site = headers['sec-fetch-site']
  if (site === undefined ? headers.origin === baseUrl : site === 'same-origin') return
  const message = `Send this request from a page of Docket, or with the header \`Origin: ${baseUrl}\`.`
  throw new ApiError(403, 'csrf_rejected', message)
}
