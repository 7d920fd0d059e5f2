import fc, { type Arbitrary } from 'fast-check'
import { publicRoutes as routes } from '#server/routes.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { InputSchema } from '#wire/schema-parser.ts'
import { PREFIXES_BY_KIND, recordKindOf } from '../support/api/endpoint-requests.ts'
import { arbitraryFields, arbitraryId, encodeQueryValue } from './arbitrary-values.ts'
import {
  CONTENT_TYPE_HEADERS,
  INVALID_BODIES,
  INVALID_QUERIES,
  INVALID_VALUES,
  withOneMistake,
} from './invalid-values.ts'

/** A request with placeholders for ids, cursors and credentials, which each lane fills. */
export interface AbstractRequest {
  as: 'owner' | 'admin' | 'member' | 'guest' | 'nobody' | 'wrong'
  method: string
  path: string
  query: string
  headers: Record<string, string>
  body: string | Buffer | undefined
}

/** Requests to every route: most of them valid, some nearly valid, some not at all. */
export const arbitraryRequest = (): Arbitrary<AbstractRequest> =>
  fc.oneof(
    ...routes.map(({ endpoint }) => ({
      arbitrary: requestOf(endpoint),
      weight: weightOf(endpoint),
    })),
    { arbitrary: unroutedRequest, weight: 2 },
  )

/** Deletions are rarer than creations, so that records remain. */
const weightOf = ({ method, path }: Endpoint): number => {
  if (method === 'DELETE' || (path === '/api/v1/webhooks' && method === 'POST')) return 2
  if (method === 'GET') return 4
  return path.includes('/tasks') ? 12 : 6
}

const mostly = <T>(usual: Arbitrary<T>, seldom: Arbitrary<T>, weight = 12): Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: seldom, weight: 1 })

function requestOf(endpoint: Endpoint): Arbitrary<AbstractRequest> {
  const method = mostly<string>(
    fc.constant(endpoint.method),
    fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'GET', 'POST', 'DELETE', 'PATCH'),
    40,
  )
  return fc
    .record({
      as: SENDERS,
      method,
      path: pathOf(endpoint),
      query: queryOf(endpoint),
      headers: HEADERS,
      body: bodyOf(endpoint),
      types: mostly(fc.constant({}), CONTENT_TYPE_HEADERS, 30),
    })
    .map(({ types, ...request }) => ({ ...request, headers: { ...request.headers, ...types } }))
}

const SENDERS = fc.oneof(
  { arbitrary: fc.constant('owner' as const), weight: 10 },
  { arbitrary: fc.constantFrom('admin' as const, 'member' as const), weight: 5 },
  { arbitrary: fc.constant('guest' as const), weight: 2 },
  { arbitrary: fc.constantFrom('nobody' as const, 'wrong' as const), weight: 1 },
)

function pathOf(endpoint: Endpoint): Arbitrary<string> {
  const noun = recordKindOf(endpoint)
  if (noun === undefined) return fc.constant(endpoint.path)
  const id = arbitraryId(PREFIXES_BY_KIND[noun] ?? 'tsk')
  const short = fc.integer({ min: 0, max: 30 }).map((number) => `eng-${number}`)
  const odd = fc.constantFrom(
    'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3',
    '%00',
    '%zz',
    '..',
    '.',
    '%2f',
    'a%2fb',
    '%ED%A0%80',
    'ENG-0',
    'ENG-99999999999999999999',
    'ENG-1 ',
    'e-1',
    '%F0%9F%98%80',
    '*',
    "'",
    ' ',
    'x'.repeat(300),
    'y'.repeat(9_000),
    'constructor',
    '__proto__',
    '',
  )
  const usual = noun === 'tasks' ? mostly(id, short, 4) : id
  const other = fc.constantFrom('tsk', 'prj', 'usr', 'tag').chain(arbitraryId)
  return mostly(mostly(usual, other, 30), odd, 30).map((one) => endpoint.path.replace(/:\w+/, one))
}

function queryOf(endpoint: Endpoint): Arbitrary<string> {
  const schema = endpoint.query as InputSchema | undefined
  const dry = endpoint.dryRun ? mostly(fc.constant(''), fc.constant('dry_run=true'), 5) : EMPTY
  const right = schema
    ? fc
        .tuple(arbitraryFields(schema), LIST_FORMS)
        .map(([values, form]) => writeQuery(values, form))
    : dry
  const wrong = schema
    ? fc
        .tuple(fc.constantFrom(...Object.keys(schema.properties ?? {})), INVALID_VALUES)
        .map(([name, value]) => `${name}=${encodeQueryValue(String(value))}`)
    : INVALID_QUERIES
  return mostly(right, fc.oneof(wrong, INVALID_QUERIES), 8)
}

const EMPTY = fc.constant('')

/** How the values of a list are written: with commas, as repeats, or in both ways. */
const LIST_FORMS = fc.constantFrom<(values: readonly unknown[]) => unknown[]>(
  (values) => [values.join(',')],
  (values) => [...values],
  (values) => [values.slice(0, 2).join(','), ...values.slice(2)],
)

/** Writes a query. A cursor becomes a placeholder for one of an earlier reply. */
const writeQuery = (values: object, writeList: (values: readonly unknown[]) => unknown[]): string =>
  Object.entries(values)
    .flatMap(([name, value]) =>
      name === 'cursor'
        ? `cursor=@@cur:${String(value).length}@@`
        : (Array.isArray(value) ? writeList(value) : [value]).map(
            (text) => `${name}=${encodeQueryValue(String(text))}`,
          ),
    )
    .join('&')

const HEADERS: Arbitrary<Record<string, string>> = mostly(
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
  // A file must contain no ids of a lane, because replies contain its digest.
  if (endpoint.upload) return fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  const schema = endpoint.body as InputSchema | undefined
  if (!schema)
    return mostly<string | Buffer | undefined>(fc.constant(undefined), INVALID_BODIES, 20)
  const right = endpoint.path.endsWith('/bulk') ? arbitraryBulk(schema) : arbitraryFields(schema)
  const json = mostly<unknown>(right, withOneMistake(right), 2).map((value) =>
    JSON.stringify(value),
  )
  return mostly<string | Buffer | undefined>(
    json,
    fc.oneof(INVALID_BODIES, fc.constant(undefined)),
    20,
  )
}

/** Bulk operations of each kind, some with a mistake in their `data`. */
function arbitraryBulk({ properties }: InputSchema): Arbitrary<object> {
  const items = properties?.operations?.items as { 'x-documented'?: InputSchema } | undefined
  const kinds = items?.['x-documented']?.anyOf ?? []
  const one = kinds.map((kind) => {
    const right = arbitraryFields(kind)
    const data = kind.properties?.data
    if (!data) return right
    const wrong = fc.tuple(right, withOneMistake(arbitraryFields(data)))
    return fc.oneof(
      { arbitrary: right, weight: 2 },
      { arbitrary: wrong.map(([operation, data]) => ({ ...operation, data })), weight: 1 },
    )
  })
  return fc.record({
    operations: fc.array(fc.oneof(...one), { minLength: 1, maxLength: 5 }),
    atomic: fc.boolean(),
  })
}

const unroutedRequest: Arbitrary<AbstractRequest> = fc.record({
  as: SENDERS,
  method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'),
  path: fc.constantFrom(
    '/api/v1',
    '/api/v1/',
    '/api/v1//tasks',
    '/api/v1/tasks/',
    '/api/v2/tasks',
    '/internal/x',
    '/api/v1/tasks/%2e%2e/projects',
    '/API/v1/tasks',
    '/oauth/token',
    '/.well-known/x',
    '/api',
    '/healthz',
    '/readyz',
    '/api/v1/openapi.json',
    '/api/v1/tasks%00',
    '/api/v1/tasks;a=b',
  ),
  query: EMPTY,
  headers: HEADERS,
  body: fc.constant(undefined),
})
