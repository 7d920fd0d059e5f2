import { type CheckGroup, expectEqual, expectTrue } from '../check.ts'
import { expectError, expectStatus, type ServerReply, type ServerSubject } from './client.ts'
import { bodyOf, CORE_ENDPOINTS, linesWithId } from './endpoints.ts'

const MAX_BODY_BYTES = 2 ** 20
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

const hasRateLimit = ({ headers }: ServerReply): boolean =>
  RATE_LIMIT_HEADERS.every((name) => /^\d+$/.test(headers.get(name) ?? ''))

/** Docket's `type` of an error follows from its status (docs/spec/api.md#types-and-codes). */
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
}

/** What holds for every request: credentials, bodies, parameters, errors and headers. */
export const REQUEST_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'Credentials',
    checks: [
      {
        name: 'answers 401 on all 23 endpoints without a credential',
        advice: 'Authenticate before anything else but the route.',
        async run({ ask }) {
          for (const line of linesWithId(CORE_ENDPOINTS)) {
            const reply = await ask(line, bodyOf(line), { key: '' })
            expectError(reply, 401, 'authentication_required')
            const challenge = reply.headers.get('www-authenticate') ?? ''
            expectTrue(/^Bearer /.test(challenge), 'WWW-Authenticate: Bearer', challenge)
          }
          return '23 times 401'
        },
      },
      {
        name: 'answers 401 invalid_token to keys that are none',
        advice: 'Refuse a key with a wrong checksum, form or hash in the same way.',
        async run({ ask }) {
          const keys = [
            'dkt_0123456789ABCDEFGHIJKLMNOPQRSTUV2Va8Dq',
            'nonsense',
            `dkt_${'0'.repeat(38)}`,
          ]
          for (const key of keys) {
            expectError(await ask('GET /projects', undefined, { key }), 401, 'invalid_token')
          }
          return '401 invalid_token'
        },
      },
      {
        name: 'answers 403 insufficient_scope to all writes with a key that may only read',
        advice: 'Compare the scopes of the key with that of the endpoint before you read the body.',
        needs: '--read-only-key',
        async run({ ask, readOnlyKey: key }) {
          const writes = CORE_ENDPOINTS.filter(({ line }) => !line.startsWith('GET '))
          for (const endpoint of writes) {
            const [line = ''] = linesWithId([endpoint])
            const reply = await ask(line, bodyOf(line), { key })
            expectError(reply, 403, 'insufficient_scope')
            const challenge = reply.headers.get('www-authenticate') ?? ''
            const scope = `scope="${endpoint.scope}"`
            expectTrue(challenge.includes(scope), `WWW-Authenticate with ${scope}`, challenge)
          }
          expectStatus(await ask('GET /projects', undefined, { key }), 200)
          return `${writes.length} times 403`
        },
      },
    ],
  },
  {
    title: 'Requests',
    checks: [
      {
        name: 'answers 404 not_found to ids that no record has, on every path',
        advice: 'Give one answer to malformed, foreign, deleted and unknown ids.',
        async run({ ask }) {
          const withId = CORE_ENDPOINTS.filter(({ idType }) => idType !== undefined)
          const malformed = linesWithId(withId, () => 'nothing')
          const foreign = linesWithId(withId, () => 'xyz_01zzzzzzzzzzzzzzzzzzzzzzzz')
          for (const line of [...linesWithId(withId), ...malformed, ...foreign]) {
            expectError(await ask(line, bodyOf(line)), 404, 'not_found')
          }
          return `${withId.length * 3} times 404`
        },
      },
      {
        name: 'answers 404 route_not_found to unknown paths, without redirects',
        advice: 'Match paths exactly: no trailing or double slashes, and no other case.',
        async run({ ask }) {
          for (const path of ['/nothing', '/projects/', '/Projects', '//projects']) {
            expectError(await ask(`GET ${path}`), 404, 'route_not_found')
          }
          return '4 times 404'
        },
      },
      {
        name: 'answers 405 with Allow to other methods; projects and members are read only',
        advice: 'List the methods of the path in Allow.',
        async run({ ask, project }) {
          const lines = ['POST /projects', `PATCH /projects/${project}`, 'POST /workspace/members']
          for (const line of [...lines, 'PUT /tasks']) {
            const reply = await ask(line, {})
            expectError(reply, 405, 'method_not_allowed')
            const allow = reply.headers.get('allow') ?? ''
            const method = line === 'PUT /tasks' ? 'POST' : 'GET'
            expectTrue(allow.includes(method), `Allow with ${method}`, allow, reply.exchange)
          }
          return '4 times 405'
        },
      },
      {
        name: 'answers HEAD as GET without a body, and OPTIONS with 204 and Allow',
        advice: 'Offer HEAD wherever GET is.',
        async run({ ask }) {
          const head = await ask('HEAD /projects')
          expectStatus(head, 200)
          expectEqual(head.text, '', 'body', head.exchange)
          const options = await ask('OPTIONS /tasks', undefined, { key: '' })
          expectStatus(options, 204)
          const allow = options.headers.get('allow') ?? ''
          expectTrue(allow.includes('POST'), 'Allow with POST', allow, options.exchange)
          return '200, 204'
        },
      },
      {
        name: 'refuses bodies of other types and sizes, and what is not one JSON object',
        advice: 'Check type, size and syntax of a body in this order.',
        async run({ ask, project }) {
          const post = (raw: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
            ask('POST /tasks', undefined, { raw, headers: { 'content-type': type } })
          const task = JSON.stringify({ project_id: project, title: 'Never created' })
          expectError(await post(task, 'text/plain'), 415, 'unsupported_media_type')
          expectError(
            await post(task, 'application/json; charset=latin1'),
            415,
            'unsupported_media_type',
          )
          expectError(await post(task.padEnd(MAX_BODY_BYTES + 1)), 413, 'payload_too_large')
          expectError(await post(task.slice(1)), 400, 'invalid_json')
          expectError(await post(new Uint8Array([0x7b, 0xff, 0x7d])), 400, 'invalid_json')
          expectError(await post(''), 400, 'invalid_json')
          expectError(await post(`[${task}]`), 422, 'validation_failed', { '': 'invalid_type' })
          return '415, 413, 400, 422'
        },
      },
      {
        name: 'refuses unknown, repeated and invalid parameters',
        advice:
          'Check the whole query; never clamp a limit, and never ignore what you do not know.',
        async run({ ask, project, createTask }) {
          const lists = CORE_ENDPOINTS.filter(({ line }) => /^GET .*s$/.test(line))
          const { id } = await createTask()
          const ids = (type: string) => (type === 'prj' ? project : id)
          for (const line of linesWithId(lists, ids)) {
            const faults = ['limit=0', 'limit=201', 'limit=ten', 'limit=1&limit=2', 'page=2']
            for (const query of faults) {
              const [name = ''] = query.split('=')
              const reply = await ask(`${line}?${query}`)
              expectError(reply, 400, 'invalid_parameter')
              const fields = reply.body.error.details.map(({ field }) => field)
              expectTrue(fields.includes(name), `details about ${name}`, fields, reply.exchange)
            }
          }
          return `${lists.length * 5} times 400`
        },
      },
      {
        name: 'counts requests in the rate limit headers',
        advice:
          'Send X-RateLimit-Limit, -Remaining and -Reset (the end of the minute) with every counted reply.',
        async run({ ask }) {
          const [first, second] = [await ask('GET /projects'), await ask('GET /projects')]
          const read = ({ headers }: ServerReply) =>
            RATE_LIMIT_HEADERS.map((name) => Number(headers.get(name) ?? Number.NaN))
          const [limit = 0, remaining = 0, reset = 0] = read(second)
          expectTrue(hasRateLimit(second), 'three whole numbers', read(second), second.exchange)
          expectTrue(remaining < limit, 'fewer remaining than the limit', read(second))
          expectEqual(reset % 60, 0, 'reset at a full minute, seconds', second.exchange)
          const now = Date.parse(second.headers.get('date') ?? '') / 1000
          expectTrue(reset > now - 2 && reset <= now + 62, 'reset within 60 s', reset - now)
          const [, before = 0, resetBefore] = read(first)
          const isCounted = remaining < before || reset !== resetBefore
          expectTrue(isCounted, 'fewer remaining after a request', [before, remaining])
          const unknown = await ask('GET /projects', undefined, { key: '' })
          expectEqual(unknown.headers.get(RATE_LIMIT_HEADERS[0] ?? ''), null, 'of a 401, limit')
          return `${remaining} of ${limit} remaining`
        },
      },
    ],
  },
]

/** What every reply of the whole run has shown. */
export const REPLY_CHECKS: readonly CheckGroup<ServerSubject>[] = [
  {
    title: 'All replies of this run',
    checks: [
      {
        name: 'each error has the documented body',
        advice:
          'Build all errors in one place: type, code, message, details, request_id and doc_url.',
        async run({ replies }) {
          const errors = replies.filter(({ status }) => status >= 400)
          for (const { status, body, exchange, headers } of errors) {
            const { error } = body
            expectTrue(
              error !== null && typeof error === 'object',
              'an error object',
              error,
              exchange,
            )
            const texts = [error.type, error.code, error.message, error.request_id, error.doc_url]
            const areTexts = texts.every((text) => typeof text === 'string' && text !== '')
            expectTrue(
              areTexts,
              'texts as type, code, message, request_id and doc_url',
              texts,
              exchange,
            )
            expectEqual(error.type, ERROR_TYPES[status] ?? error.type, 'error.type', exchange)
            expectEqual(error.request_id, headers.get('x-request-id'), 'request_id', exchange)
            expectTrue(Array.isArray(error.details), 'a list of details', error.details, exchange)
            for (const detail of error.details) {
              const parts = [detail.field, detail.code, detail.message].map((part) => typeof part)
              expectEqual(parts, ['string', 'string', 'string'], 'field, code, message', exchange)
            }
          }
          return `${errors.length} errors`
        },
      },
      {
        name: 'each body is JSON in UTF-8, and each reply has an id and may not be cached or sniffed',
        advice:
          'Set Content-Type, X-Request-Id, Cache-Control and X-Content-Type-Options on all replies, errors included.',
        async run({ replies }) {
          for (const { text, headers, exchange } of replies) {
            const type = headers.get('content-type')
            if (text !== '') expectEqual(type, 'application/json; charset=utf-8', 'type', exchange)
            const id = headers.get('x-request-id')
            expectTrue(id !== null && id !== '', 'X-Request-Id', id, exchange)
            expectEqual(headers.get('x-content-type-options'), 'nosniff', 'sniffing', exchange)
            const caching = headers.get('etag') ? 'private, no-cache' : 'no-store'
            expectEqual(headers.get('cache-control'), caching, 'Cache-Control', exchange)
          }
          const ids = new Set(replies.map(({ headers }) => headers.get('x-request-id')))
          expectEqual(ids.size, replies.length, 'different ids of requests:')
          return `${replies.length} replies`
        },
      },
      {
        name: 'each counted reply has the rate limit headers',
        advice: 'Send them with errors, too, except 401, 404 route_not_found and 405.',
        async run({ replies }) {
          const isUncounted = ({ status, line, body }: ServerReply) =>
            line.startsWith('OPTIONS') ||
            [401, 405].includes(status) ||
            body.error?.code === 'route_not_found'
          const counted = replies.filter((reply) => !isUncounted(reply))
          for (const reply of counted) {
            const { status, headers, line, exchange } = reply
            expectTrue(
              hasRateLimit(reply),
              `headers of ${line} (${status})`,
              [...headers.keys()],
              exchange,
            )
          }
          return `${counted.length} replies`
        },
      },
    ],
  },
]
