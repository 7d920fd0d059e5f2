import type { FastifyRequest } from 'fastify'
import { ApiError } from '#core/api-error.ts'
import { findNearestPath } from '#lib/nearest-name.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { sendReply } from '../reply/send.ts'
import { routeNotFound } from '../request/transport-checks.ts'
import type { RequestHandler } from './request-handler.ts'

const API_PATHS = /^\/(api|internal|oauth|\.well-known)(\/|$)/
const DOCS_PATHS = /^\/docs(\/|$)/
const isPublic = (path: string) => path.startsWith('/api/')
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
  'access-control-max-age': '86400',
}

interface FallbackOptions {
  /** The methods of all paths that are served beside the routes. */
  methodsByPath: Readonly<Record<string, readonly string[]>>
  replyNotFound: RequestHandler
}

/**
 * Creates the handler of unknown paths, and of those that cannot be decoded. Outside the API the 404 is a
 * page: of the docs or the web app.
 */
export function createNotFoundHandler(
  endpoints: readonly Endpoint[],
  replyPageNotFound: RequestHandler,
  replyScreenNotFound: RequestHandler,
): RequestHandler {
  const paths = [...new Set(endpoints.map(({ path }) => path))].filter(isPublic)
  return (request, reply) => {
    const path = pathOf(request)
    if (API_PATHS.test(path)) {
      const nearest = path.startsWith('/api') ? findNearestPath(path, paths) : undefined
      throw routeNotFound(
        nearest && `Did you mean \`${nearest}\`? \`GET /api/v1\` lists all endpoints.`,
      )
    }
    return DOCS_PATHS.test(path)
      ? replyPageNotFound(request, reply)
      : replyScreenNotFound(request, reply)
  }
}

/**
 * Replies to requests that no route serves: OPTIONS (docs/spec/api.md#addresses-and-methods, docs/spec/api.md#headers-on-replies), a known path with
 * another method (405), an unknown path (404).
 */
export function createFallbackHandler(
  routes: readonly { endpoint: Endpoint }[],
  { methodsByPath, replyNotFound }: FallbackOptions,
): RequestHandler {
  const allowed = new Map(
    Object.entries(methodsByPath).map(([path, methods]) => [path, new Set(methods)]),
  )
  for (const { endpoint } of routes) {
    const methods = allowed.get(endpoint.path) ?? new Set<string>()
    methods.add(endpoint.method)
    if (endpoint.method === 'GET') methods.add('HEAD')
    allowed.set(endpoint.path, methods)
  }
  const paths = [...allowed].map(([path, methods]) => ({
    isFixed: !path.includes(':'),
    pattern: patternOf(path),
    allow: ALL_METHODS.filter((method) => methods.has(method)).join(', '),
  }))
  paths.sort((a, b) => Number(b.isFixed) - Number(a.isFixed))

  return async (request, reply) => {
    const path = pathOf(request)
    const allow = paths.find(({ pattern }) => pattern.test(path))?.allow
    if (allow === undefined) return replyNotFound(request, reply)
    if (request.method === 'OPTIONS') {
      const cors = 'access-control-allow-origin' in request.replyHeaders
      return sendReply(request, reply, {
        status: 204,
        headers: { allow, ...(cors && PREFLIGHT_HEADERS) },
      })
    }
    throw new ApiError(405, 'method_not_allowed', `This path only supports ${allow}.`, {
      headers: { allow },
    })
  }
}

const pathOf = ({ raw }: FastifyRequest): string => raw.url?.split('?', 1)[0] ?? ''

/** The pattern of the paths that a route's path matches. */
const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`)

/**
 * Finds methods that a fixed path does not serve, but that the router would pass to the route of a
 * record: `GET /api/v1/tasks/bulk` must not look for a task named `bulk`.
 */
export function findShadowedMethods(routes: readonly { endpoint: Endpoint }[]) {
  const served = new Set(routes.map(({ endpoint: { method, path } }) => `${method} ${path}`))
  return routes.flatMap(({ endpoint: { path: url } }) => {
    if (url.includes(':')) return []
    const recordPath = `${url.slice(0, url.lastIndexOf('/') + 1)}:id`
    const recordRoutes = routes.filter(({ endpoint }) => endpoint.path === recordPath)
    return recordRoutes
      .map(({ endpoint: { method } }) => ({ method, url }))
      .filter(({ method }) => !served.has(`${method} ${url}`))
  })
}
