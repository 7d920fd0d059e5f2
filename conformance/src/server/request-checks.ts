import { type CheckGroup, check, expectEqual, expectMatch, expectTrue } from '../check.ts'
import type { ServerReply, ServerSubject } from './client.ts'
import { bodyOf, CORE_ENDPOINTS, withId } from './endpoints.ts'

const MAX_BODY_BYTES = 2 ** 20
const RATE_LIMIT_HEADERS = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}`)

const readRateLimit = ({ headers }: ServerReply): number[] =>
  RATE_LIMIT_HEADERS.map((name) => Number(headers.get(name) ?? Number.NaN))

/** The `type` of an error by its status (docs/spec/api.md#types-and-codes). */
const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
}

/** What holds for requests to every endpoint. */
export const REQUEST_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Credentials',
    checks: [
      check(
        'answers 401 on all 23 endpoints without a credential',
        'Authenticate before anything else but the route, and send WWW-Authenticate: Bearer.',
        async ({ ask }) => {
          for (const line of CORE_ENDPOINTS.map((endpoint) => withId(endpoint.line))) {
            const wanted = '401 authentication_required'
            const { headers } = await ask(line, wanted, bodyOf(line), { key: '' })
            expectMatch(headers.get('www-authenticate'), /^Bearer /, 'WWW-Authenticate')
          }
        },
      ),
      check(
        'answers 401 invalid_token to keys that are none',
        'Refuse keys of a wrong form, with a wrong checksum and unknown ones alike.',
        async ({ ask }) => {
          for (const key of ['nonsense', `dkt_${'0'.repeat(38)}`]) {
            await ask('GET /projects', '401 invalid_token', undefined, { key })
          }
        },
      ),
      check(
        'answers 403 insufficient_scope to all writes with a key that may only read',
        'Compare the scopes of the key with that of the endpoint before you read the body.',
        async ({ ask, readOnlyKey: key }) => {
          await ask('GET /projects', '200', undefined, { key })
          for (const { line, scope } of CORE_ENDPOINTS) {
            if (line.startsWith('GET ')) continue
            const wanted = '403 insufficient_scope'
            const { headers } = await ask(withId(line), wanted, bodyOf(line), { key })
            const named = new RegExp(`^Bearer .*scope="${scope}"`)
            expectMatch(headers.get('www-authenticate'), named, 'WWW-Authenticate')
          }
        },
        '--read-only-key',
      ),
    ],
  },
  {
    title: 'Requests',
    checks: [
      check(
        'answers 404 not_found to ids that no record has, on every path',
        'Give one answer to malformed, foreign, deleted and unknown ids.',
        async ({ ask }) => {
          for (const { line } of CORE_ENDPOINTS.filter((one) => one.line.includes(':id'))) {
            for (const id of [undefined, 'nothing', 'xyz_01zzzzzzzzzzzzzzzzzzzzzzzz']) {
              await ask(withId(line, id), '404 not_found', bodyOf(line))
            }
          }
        },
      ),
      check(
        'answers 404 route_not_found to unknown paths, without redirects',
        'Match paths exactly: no trailing or double slashes, and no other case.',
        async ({ ask }) => {
          for (const path of ['/nothing', '/projects/', '/Projects', '//projects']) {
            await ask(`GET ${path}`, '404 route_not_found')
          }
        },
      ),
      check(
        'answers 405 with Allow to other methods; projects and members are read only',
        'List the methods of the path in Allow.',
        async ({ ask, project }) => {
          const paths = ['POST /projects', `PATCH /projects/${project}`, 'POST /workspace/members']
          for (const line of [...paths, 'PUT /webhooks']) {
            const { headers } = await ask(line, '405 method_not_allowed', {})
            expectMatch(headers.get('allow'), /GET/, 'Allow')
          }
        },
      ),
      check(
        'answers HEAD as GET without a body, and OPTIONS with 204 and Allow',
        'Offer HEAD wherever GET is.',
        async ({ ask }) => {
          expectEqual((await ask('HEAD /projects', '200')).text, '', 'body')
          const { headers } = await ask('OPTIONS /tasks', '204', undefined, { key: '' })
          expectMatch(headers.get('allow'), /POST/, 'Allow')
        },
      ),
      check(
        'refuses bodies of other types and sizes, and what is not one JSON object',
        'Check type, size and syntax of a body in this order.',
        async ({ ask, project }) => {
          const task = JSON.stringify({ project_id: project, title: 'Never created' })
          const latin = 'application/json; charset=latin1'
          const bodies: [wanted: string, raw: string | Uint8Array<ArrayBuffer>, type?: string][] = [
            ['415 unsupported_media_type', task, 'text/plain'],
            ['415 unsupported_media_type', task, latin],
            ['413 payload_too_large', task.padEnd(MAX_BODY_BYTES + 1)],
            ['400 invalid_json', task.slice(1)],
            ['400 invalid_json', new Uint8Array([0x7b, 0xff, 0x7d])],
            ['400 invalid_json', ''],
            ['422 validation_failed =invalid_type', `[${task}]`],
          ]
          for (const [wanted, raw, type = 'application/json'] of bodies) {
            await ask('POST /tasks', wanted, undefined, { raw, headers: { 'content-type': type } })
          }
        },
      ),
      check(
        'refuses unknown, repeated and invalid parameters of lists',
        'Check the whole query; never clamp a limit, and never ignore what you do not know.',
        async ({ ask, createTask, project }) => {
          const { id } = await createTask()
          for (const { line } of CORE_ENDPOINTS.filter((one) => /^GET .*s$/.test(one.line))) {
            const list = withId(line, line.includes('/projects') ? project : id)
            for (const query of [
              'limit=0',
              'limit=201',
              'limit=ten',
              'limit=1&limit=2',
              'page=2',
            ]) {
              const name = query.split('=')[0]
              await ask(`${list}?${query}`, `400 invalid_parameter ${name}=`)
            }
          }
        },
      ),
      check(
        'counts requests in the rate limit headers',
        'Send X-RateLimit-Limit, -Remaining and -Reset, the end of the minute, on counted replies.',
        async ({ ask }) => {
          const before = readRateLimit(await ask('GET /projects', '200'))
          const reply = await ask('GET /projects', '200')
          const now = Date.parse(reply.headers.get('date') ?? '') / 1000
          const seen = readRateLimit(reply)
          const [limit = 0, remaining = 0, reset = 0] = seen
          expectTrue(seen.every(Number.isInteger), `numbers in ${RATE_LIMIT_HEADERS}`, seen)
          expectTrue(reset % 60 === 0 && reset > now - 2 && reset < now + 62, 'next minute', seen)
          const isCounted = remaining < Number(before[1]) || reset !== before[2]
          expectTrue(isCounted && remaining < limit, 'fewer remaining', [before, seen])
        },
      ),
    ],
  },
]

/** Whether a reply is to a request that counts (docs/spec/api.md#how-requests-are-counted). */
const isCounted = ({ status, line, body }: ServerReply): boolean =>
  !line.startsWith('OPTIONS') &&
  ![401, 405].includes(status) &&
  body.error?.code !== 'route_not_found'

/** What all replies of the run have shown. */
export const REPLY_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'All replies of this run',
    checks: [
      check(
        'each error has the documented body',
        'Build all errors in one place: type, code, message, details, request_id and doc_url.',
        async ({ replies }) => {
          for (const { status, body, exchange, headers } of replies) {
            if (status < 400) continue
            const { type, details, request_id, ...rest } = body.error
            const texts = [rest.code, rest.message, rest.doc_url]
            const areTexts = texts.every((text) => typeof text === 'string' && text !== '')
            expectTrue(areTexts, 'texts as code, message and doc_url', texts, exchange)
            expectEqual(type, ERROR_TYPES[status] ?? type, 'type', exchange)
            expectEqual(request_id, headers.get('x-request-id'), 'request_id', exchange)
            for (const detail of details) {
              const types = [detail.field, detail.code, detail.message].map((one) => typeof one)
              expectEqual(types, Array(3).fill('string'), 'field, code, message', exchange)
            }
          }
        },
      ),
      check(
        'each body is JSON in UTF-8, and each reply has an id and may not be cached or sniffed',
        'Set Content-Type, X-Request-Id, Cache-Control and X-Content-Type-Options on all replies.',
        async ({ replies }) => {
          for (const { text, headers, exchange } of replies) {
            const wanted = {
              'x-content-type-options': 'nosniff',
              'cache-control': headers.get('etag') ? 'private, no-cache' : 'no-store',
              ...(text !== '' && { 'content-type': 'application/json; charset=utf-8' }),
            }
            for (const [name, value] of Object.entries(wanted)) {
              expectEqual(headers.get(name), value, name, exchange)
            }
            expectTrue(!!headers.get('x-request-id'), 'X-Request-Id', null, exchange)
          }
          const ids = new Set(replies.map(({ headers }) => headers.get('x-request-id')))
          expectEqual(ids.size, replies.length, 'different ids of requests:')
        },
      ),
      check(
        'each counted reply has the rate limit headers',
        'Send them with errors, too, except 401, 404 route_not_found and 405.',
        async ({ replies }) => {
          for (const reply of replies.filter(isCounted)) {
            const seen = readRateLimit(reply)
            expectTrue(seen.every(Number.isInteger), `${RATE_LIMIT_HEADERS}`, seen, reply.exchange)
          }
        },
      ),
    ],
  },
]
