import { Refusal } from '#core/refusal.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { routeNotFound } from './arrival.ts'
import type { Handler } from './handling.ts'
import { send } from './send.ts'

const OURS = /^\/(api|internal|oauth|\.well-known)(\/|$)/
const PAGES = /^\/docs(\/|$)/
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
  'access-control-max-age': '86400',
}

interface Others {
  /** What is served beside the routes: methods by address. */
  others: Readonly<Record<string, readonly string[]>>
  noPage: Handler
  noScreen: Handler
}

/**
 * Answers what no route takes: OPTIONS (contract 1.1, 1.7), a known address with another method
 * (405), an unknown one (404). Outside the API a page answers: below /docs that
 * of the site, elsewhere that of the web app.
 */
export function unrouted(
  routes: readonly { endpoint: Endpoint }[],
  { others, noPage, noScreen }: Others,
): Handler {
  const allowed = new Map(Object.entries(others).map(([path, methods]) => [path, new Set(methods)]))
  for (const { endpoint } of routes) {
    const methods = allowed.get(endpoint.path) ?? new Set<string>()
    methods.add(endpoint.method)
    if (endpoint.method === 'GET') methods.add('HEAD')
    allowed.set(endpoint.path, methods)
  }
  const known = [...allowed].map(([path, methods]) => ({
    fixed: !path.includes(':'),
    form: formOf(path),
    allow: METHODS.filter((method) => methods.has(method)).join(', '),
  }))
  known.sort((a, b) => Number(b.fixed) - Number(a.fixed))

  return async (request, reply) => {
    const path = request.raw.url?.split('?', 1)[0] ?? ''
    const allow = known.find(({ form }) => form.test(path))?.allow
    if (allow === undefined) {
      if (OURS.test(path)) throw routeNotFound()
      return PAGES.test(path) ? noPage(request, reply) : noScreen(request, reply)
    }
    if (request.method === 'OPTIONS') {
      const cors = 'access-control-allow-origin' in request.outgoing
      return send(request, reply, { status: 204, headers: { allow, ...(cors && PREFLIGHT) } })
    }
    throw new Refusal(405, 'method_not_allowed', `This address takes ${allow}.`, {
      headers: { allow },
    })
  }
}

/** What the addresses of a path look like. */
const formOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`)

/**
 * Methods that a fixed address does not take, but that the router would hand to the routes of a record:
 * `GET /api/v1/tasks/bulk` names no task.
 */
export function shadowed(routes: readonly { endpoint: Endpoint }[]) {
  const taken = new Set(routes.map(({ endpoint: { method, path } }) => `${method} ${path}`))
  return routes.flatMap(({ endpoint: { path: url } }) => {
    if (url.includes(':')) return []
    const among = routes.filter(
      ({ endpoint }) => endpoint.path === `${url.replace(/[^/]+$/, '')}:id`,
    )
    return among
      .map(({ endpoint: { method } }) => ({ method, url }))
      .filter(({ method }) => !taken.has(`${method} ${url}`))
  })
}
