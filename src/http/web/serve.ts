import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { had, hasAlready } from '../conditions.ts'
import type { Handler } from '../handling.ts'
import type { House } from '../house.ts'
import { unbuiltPage } from '../pages/missing.ts'
import { send } from '../send.ts'
import { ADDRESSES, type Address } from './addresses.ts'
import type { Asset } from './build.ts'
import { pageOf } from './page.ts'
import { documentHeaders, resourceHeaders, workerHeaders } from './policy.ts'

/**
 * Serves the web app: its files under /app/, and its page at every address that it knows. Gives what
 * answers an address that nobody knows, with the same page and 404.
 */
export function serveWeb(server: FastifyInstance, { web, baseUrl }: House): Handler {
  const files = resourceHeaders(baseUrl)
  server.get('/app/*', (request, reply) => {
    const path = request.raw.url?.split('?', 1)[0]?.slice('/app/'.length) ?? ''
    const asset = web?.assets.get(path)
    if (asset) {
      const own = path === WORKER ? { ...files, ...workerHeaders } : files
      return sendAsset(request, reply, asset, own)
    }
    const headers = { ...files, 'content-type': 'text/plain; charset=utf-8' }
    return send(request, reply, { status: 404, body: 'There is no such file.\n', headers })
  })

  const make = web && pageOf(web)
  const show =
    (status: number, address: Address): Handler =>
    (request, reply) => {
      if (!make) {
        const headers = documentHeaders(baseUrl, address)
        return send(request, reply, { status: 503, body: unbuiltPage(), headers })
      }
      const path = request.raw.url?.split('?', 1)[0] ?? ''
      const { nonce, body } = make(path, address)
      // No-cache, and nothing to compare by: a page that was kept would have a nonce of the past.
      const headers = {
        ...documentHeaders(baseUrl, { ...address, nonce }),
        'cache-control': 'no-cache',
      }
      return send(request, reply, { status, body, headers })
    }
  for (const [address, rules] of Object.entries(ADDRESSES)) server.get(address, show(200, rules))
  return show(404, {})
}

const WORKER = 'sw.js'
const FOR_EVER = 'public, max-age=31536000, immutable'

function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, packed, immutable, etag }: Asset,
  common: Record<string, string>,
): Promise<void> {
  const headers = {
    ...common,
    etag,
    'content-type': type,
    'cache-control': immutable ? FOR_EVER : 'no-cache',
  }
  // Weak tags are compared by what stands between the quotes.
  if (hasAlready(had(request.headers['if-none-match']), etag.replace(/^W\//, ''))) {
    return send(request, reply, { status: 304, headers })
  }
  return send(request, reply, { status: 200, body, packed, headers })
}
