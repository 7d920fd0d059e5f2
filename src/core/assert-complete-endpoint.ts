import { type Endpoint, isActionLimit } from '#wire/endpoint.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { Route } from './route.ts'

/** Throws if an endpoint lacks something that a route of its kind needs, or is of another kind. */
export function assertCompleteEndpoint(
  kind: Route['kind'],
  endpoint: Endpoint,
  load: unknown,
): void {
  const missing = findMissingPart(endpoint, load) ?? findOtherKind(kind, endpoint)
  if (missing) throw new Error(`${endpoint.method} ${endpoint.path} does not say ${missing}`)
}

/** Types demand most of this too; but they can be silenced, and a missing check goes unnoticed. */
function findMissingPart(endpoint: Endpoint, load: unknown): string | undefined {
  const { method, path, scope, limit, params, body, reply, status, grantsLastingAccess } = endpoint
  if (!hasValidScope(path, scope)) return 'which scope it needs'
  if (typeof load !== 'function') return 'who may use it'
  const spendsSession = limit === 'session' || isActionLimit(limit)
  if (scope === 'session' ? !spendsSession : limit !== 'workspace') return 'which budget it spends'
  if (path.includes(':') && !params) return 'what is in its path'
  if ((method === 'POST' || method === 'PATCH') && !body) return 'what is in its body'
  if (method !== 'DELETE' && method !== 'PUT' && !reply) return 'what it replies'
  if (method !== 'GET' && grantsLastingAccess === undefined)
    return 'whether it grants lasting access'
  if (status === 201 && !endpoint.location && scope !== 'session')
    return 'where the record is that it makes'
  return undefined
}

/** An endpoint of another kind would be served by the wrong handler. */
function findOtherKind(kind: Route['kind'], endpoint: Endpoint): string | undefined {
  const expected = kindOf(endpoint)
  if (kind === expected) return undefined
  return expected === 'upload' ? 'how much it takes' : `that it is a ${kind}`
}

function kindOf({ method, upload, download, stream, feed }: Endpoint): Route['kind'] {
  if (upload) return 'upload'
  if (download) return 'download'
  if (stream) return 'stream'
  if (feed) return 'feed'
  return method === 'GET' ? 'read' : 'write'
}

/** Endpoints of the web app are under /internal, and only they are (docs/spec/api.md#internal-api-of-the-web-app). */
function hasValidScope(path: string, scope: Endpoint['scope']): boolean {
  if (path.startsWith('/internal/')) return scope === 'session'
  if (scope === 'any') return path === '/api/v1/me' || path === '/api/v1/changes'
  return scope !== 'session' && scope !== 'open' && SCOPES.includes(scope)
}
