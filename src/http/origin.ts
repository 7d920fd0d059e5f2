import type { FastifyRequest } from 'fastify'
import { Refusal } from '#core/refusal.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a write that a page of another origin makes a browser send (contract 4.5). What the browser
 * itself says of where a request comes from no page can change; a client that is no browser names the
 * base URL as its origin.
 */
export function refuseForeign({ method, headers }: FastifyRequest, baseUrl: string): void {
  if (SAFE.has(method)) return
  const site = headers['sec-fetch-site']
  if (site === undefined ? headers.origin === baseUrl : site === 'same-origin') return
  const message = `This must come from Docket's own pages, or with 'Origin: ${baseUrl}'.`
  throw new Refusal(403, 'csrf_rejected', message)
}
