import fc, { type Arbitrary } from 'fast-check'
import type { Endpoint } from '#wire/endpoint.ts'
import type { Schema } from '#wire/read.ts'
import { published as routes } from '../../../src/app.ts'
import { nameOf, nounOf } from '../world/requests.ts'
import { oauthRequest } from './oauth.ts'
import { NO_BODY, QUERIES, spoilt, TYPES, WRONG } from './spoil.ts'
import { FILENAMES, UPLOAD_TYPES, UPLOADS } from './uploads.ts'
import { encoded, fields, idOf, valueFor } from './values.ts'

/** A request with stand-ins for what a lane knows: ids, cursors, keys. */
export interface Abstract {
  as: 'owner' | 'admin' | 'member' | 'guest' | 'nobody' | 'wrong'
  method: string
  path: string
  query: string
  headers: Record<string, string>
  body: string | Buffer | undefined
}

const PREFIX: Record<string, string> = {
  projects: 'prj',
  tasks: 'tsk',
  comments: 'cmt',
  'time-entries': 'tme',
  tags: 'tag',
  webhooks: 'whk',
  attachments: 'att',
  deliveries: 'dlv',
}

/** Requests of every route, in equal shares: most of them right, some nearly, some not at all. */
export const anyRequest = (): Arbitrary<Abstract> =>
  fc.oneof(
    ...routes.map(({ endpoint }) => ({
      arbitrary: requestOf(endpoint),
      weight: weightOf(endpoint),
    })),
    { arbitrary: unrouted, weight: 2 },
    { arbitrary: oauthRequest, weight: 6 },
  )

/** What empties the world is asked less often than what fills it. */
const weightOf = ({ method, path }: Endpoint): number => {
  if (method === 'DELETE' || (path === '/api/v1/webhooks' && method === 'POST')) return 2
  if (method === 'GET') return 4
  return path.includes('/tasks') ? 12 : 6
}

const often = <T>(usual: Arbitrary<T>, seldom: Arbitrary<T>, weight = 12): Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: seldom, weight: 1 })

function requestOf(endpoint: Endpoint): Arbitrary<Abstract> {
  const { query, headers, body } = endpoint.upload ? uploads() : usual(endpoint)
  const method = often<string>(
    fc.constant(endpoint.method),
    fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'GET', 'POST', 'DELETE', 'PATCH'),
    40,
  )
  return fc
    .record({
      as: PEOPLE,
      method,
      path: pathOf(endpoint),
      query,
      headers,
      body,
      types: often(fc.constant({}), TYPES, 30),
    })
    .map(({ types, ...request }) => ({ ...request, headers: { ...request.headers, ...types } }))
}

const usual = (endpoint: Endpoint) => ({
  query: queryOf(endpoint),
  headers: HEADERS,
  body: bodyOf(endpoint),
})

/** Files, raw and in forms. What they hold depends on no id: its digest is told. */
function uploads() {
  const headers = fc.tuple(HEADERS, UPLOAD_TYPES).map(([one, type]) => ({ ...one, ...type }))
  return { query: often(FILENAMES, QUERIES), headers, body: often(UPLOADS, fc.constant(undefined)) }
}

const PEOPLE = fc.oneof(
  { arbitrary: fc.constant('owner' as const), weight: 10 },
  { arbitrary: fc.constantFrom('admin' as const, 'member' as const), weight: 5 },
  { arbitrary: fc.constant('guest' as const), weight: 2 },
  { arbitrary: fc.constantFrom('nobody' as const, 'wrong' as const), weight: 1 },
)

function pathOf(endpoint: Endpoint): Arbitrary<string> {
  const noun = nounOf(endpoint)
  if (noun === undefined) return fc.constant(endpoint.path)
  const id = idOf(PREFIX[noun] ?? 'tsk')
  const short = fc.integer({ min: 0, max: 30 }).map((number) => `eng-${number}`)
  const odd = fc.constantFrom(
    ...['tsk_01k2m3n4p5q6r7s8t9v0w1x2y3', '%00', '%zz', '..', '.', '%2f', 'a%2fb', '%ED%A0%80'],
    ...['ENG-0', 'ENG-99999999999999999999', 'ENG-1 ', 'e-1', '%F0%9F%98%80', '*', "'", ' '],
    ...['x'.repeat(300), 'y'.repeat(9_000), 'constructor', '__proto__', ''],
  )
  const usual = noun === 'tasks' ? often(id, short, 4) : id
  const other = fc.constantFrom('tsk', 'prj', 'usr', 'tag').chain(idOf)
  return often(often(usual, other, 30), odd, 30).map((one) => endpoint.path.replace(/:\w+/, one))
}

function queryOf(endpoint: Endpoint): Arbitrary<string> {
  const schema = endpoint.query as Schema | undefined
  const dry = endpoint.dryRun ? often(fc.constant(''), fc.constant('dry_run=true'), 5) : EMPTY
  const right = schema ? fields(schema).map(written) : dry
  const wrong = schema
    ? fc
        .tuple(fc.constantFrom(...Object.keys(schema.properties ?? {})), WRONG)
        .map(([name, value]) => `${name}=${encoded(String(value))}`)
    : QUERIES
  return often(right, fc.oneof(wrong, QUERIES), 8)
}

const EMPTY = fc.constant('')

/** A cursor that was given before, for a list or another. */
const written = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) =>
      name === 'cursor'
        ? `cursor=@@cur:${String(value).length}@@`
        : `${name}=${encoded(Array.isArray(value) ? value.join(',') : String(value))}`,
    )
    .join('&')

const HEADERS: Arbitrary<Record<string, string>> = often(
  fc.constant({}),
  fc.oneof(
    fc
      .constantFrom('k1', 'k2', 'k3', '', 'a b', 'ä', 'x'.repeat(256), '"q"')
      .map((key): Record<string, string> => ({ 'idempotency-key': key })),
    fc
      .constantFrom('*', '"1"', '"2-x"', 'W/"1"', '"zzz", "1"', '1', '"', '')
      .map((tag): Record<string, string> => ({ 'if-match': tag, 'if-none-match': tag })),
    fc.constantFrom<Record<string, string>>(
      { 'x-http-method-override': 'DELETE' },
      { accept: 'text/html' },
      { 'x-request-id': 'mine' },
      { origin: 'https://evil.example' },
    ),
  ),
  3,
)

function bodyOf(endpoint: Endpoint): Arbitrary<string | Buffer | undefined> {
  const schema = endpoint.body as Schema | undefined
  if (!schema) return often<string | Buffer | undefined>(fc.constant(undefined), NO_BODY, 20)
  const right = nameOf(endpoint) === 'POST /api/v1/tasks/bulk' ? bulk() : fields(schema)
  const json = often<unknown>(right, spoilt(right), 2).map((value) => JSON.stringify(value))
  return often<string | Buffer | undefined>(json, fc.oneof(NO_BODY, fc.constant(undefined)), 20)
}

/** In bulk `data` is what the single endpoints take. */
function bulk(): Arbitrary<object> {
  const taken = (name: string) => {
    const route = routes.find(({ endpoint }) => nameOf(endpoint) === name)
    return fields(route?.endpoint.body as Schema)
  }
  const [create, update] = [taken('POST /api/v1/tasks'), taken('PATCH /api/v1/tasks/:id')]
  const id = idOf('tsk')
  const one = fc.oneof(
    create.map((data) => ({ op: 'create', data })),
    fc.tuple(id, update).map(([id, data]) => ({ op: 'update', id, data })),
    fc.tuple(id, spoilt(update)).map(([id, data]) => ({ op: 'update', id, data })),
    fc.tuple(fc.constantFrom('complete', 'restore', 'delete'), id).map(([op, id]) => ({ op, id })),
    fc.tuple(id, valueFor({ type: 'integer', minimum: 1 })).map(([id, version]) => ({
      op: 'complete',
      id,
      version,
    })),
  )
  return fc.record({
    operations: fc.array(one, { minLength: 1, maxLength: 5 }),
    atomic: fc.boolean(),
  })
}

const unrouted: Arbitrary<Abstract> = fc.record({
  as: PEOPLE,
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'),
  path: fc.constantFrom(
    ...['/api/v1', '/api/v1/', '/api/v1//tasks', '/api/v1/tasks/', '/api/v2/tasks', '/internal/x'],
    ...['/api/v1/tasks/%2e%2e/projects', '/API/v1/tasks', '/oauth/token', '/.well-known/x', '/api'],
    ...['/healthz', '/readyz', '/api/v1/openapi.json', '/api/v1/tasks%00', '/api/v1/tasks;a=b'],
  ),
  query: EMPTY,
  headers: HEADERS,
  body: fc.constant(undefined),
})
