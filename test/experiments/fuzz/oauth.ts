import fc, { type Arbitrary } from 'fast-check'
import { SCOPES } from '#wire/scopes.ts'
import type { Served } from '../../support/engines.ts'
import type { Home } from '../../support/home.ts'
import { client, newApp } from '../../support/oauth.ts'
import type { Replied } from '../world/call.ts'
import type { Abstract } from './request.ts'
import { encoded, idOf } from './values.ts'

/** What a lane knows of an application: its id, its secret, and tokens of people who allowed it everything. */
export async function allowing(served: Served, home: Home): Promise<string[]> {
  const app = await newApp(served, home, { type: 'confidential' })
  const { tokensFor } = client(served, home, app)
  const known = [app.id, app.secret ?? '']
  for (const role of ['owner', 'member', 'guest', 'owner'] as const) {
    const { access_token, refresh_token } = await tokensFor(role, { scope: SCOPES.join(' ') })
    known.push(access_token, refresh_token)
  }
  return known
}

type Fields = Record<string, Arbitrary<string>>

const ODD = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    'ä',
    '\u2028',
    '%',
    '%00',
    '+',
    '&',
    '=',
    "'",
    '"',
    '[]',
    '{}',
  ],
  ...['constructor', '__proto__', 'null', 'undefined', 'x'.repeat(513), 'y'.repeat(70_000), 'none'],
)
const redirect = fc.constantFrom(
  ...[
    'https://app.example/cb',
    'https://app.example/cb/',
    'https://evil.example/cb',
    'javascript:1',
  ],
)
const verifier = fc.constantFrom('v'.repeat(43), 'v'.repeat(42), 'v'.repeat(128), '~'.repeat(43))
const token = fc.oneof(idOf('drt'), idOf('dat'), idOf('dcs'), idOf('app'))
const scope = fc
  .array(fc.constantFrom<string>(...SCOPES, 'openid', 'x:y', ''), { minLength: 1, maxLength: 4 })
  .map((names) => names.join(' '))

const CLIENT: Fields = { client_id: idOf('app'), client_secret: idOf('dcs') }
const FORMS: Record<string, Fields> = {
  token: {
    ...CLIENT,
    grant_type: fc.oneof(
      { arbitrary: fc.constant('refresh_token'), weight: 4 },
      {
        arbitrary: fc.constantFrom('authorization_code', 'password', 'client_credentials'),
        weight: 1,
      },
    ),
    refresh_token: idOf('drt'),
    scope,
    code: token,
    redirect_uri: redirect,
    code_verifier: verifier,
    resource: fc.constantFrom(
      'http://127.0.0.1:4000',
      'http://127.0.0.1:4000/',
      'https://x.example',
    ),
  },
  revoke: { ...CLIENT, token: fc.oneof(idOf('dcs'), idOf('app')) },
  introspect: { ...CLIENT, token, token_type_hint: fc.constantFrom('access_token', 'x') },
  register: { ...CLIENT, redirect_uris: redirect, scope },
}
const QUERY: Fields = {
  client_id: idOf('app'),
  redirect_uri: redirect,
  response_type: fc.constantFrom('code', 'token', 'code id_token'),
  scope,
  state: fc.constantFrom('s', 'a b', 'ä', '%0d%0aX: 1'),
  code_challenge: verifier,
  code_challenge_method: fc.constantFrom('S256', 'plain'),
  prompt: fc.constantFrom('login', 'consent', 'none', 'consent none'),
  login_hint: fc.constantFrom('a@example.com', '<script>'),
}

const mostly = <T>(usual: Arbitrary<T>, seldom: Arbitrary<T>, weight: number) =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: seldom, weight: 1 })

/** Most of the fields, each once or twice, most of them as they ought to be. */
function formOf(fields: Fields): Arbitrary<string> {
  const each = Object.entries(fields).map(([name, value]) =>
    fc.tuple(mostly(value, ODD, 30), fc.integer({ min: 0, max: 40 })).map(([one, times]) => {
      const pair = `${name}=${encoded(one)}`
      return times === 0 ? [] : times === 1 ? [pair, pair] : [pair]
    }),
  )
  return fc.tuple(...each).map((pairs) => pairs.flat().join('&'))
}

const HEADERS: Arbitrary<Record<string, string>> = mostly(
  fc.constant({ 'content-type': 'application/x-www-form-urlencoded' }),
  fc.constantFrom<Record<string, string>>(
    { 'content-type': 'application/json' },
    { 'content-type': 'application/x-www-form-urlencoded; charset=latin1' },
    { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' },
    { 'content-type': 'multipart/form-data; boundary=x' },
  ),
  20,
)

const post = fc.constantFrom(...Object.keys(FORMS)).chain((name) =>
  fc.record<Abstract>({
    as: mostly(fc.constant('nobody'), fc.constantFrom('owner', 'wrong'), 12),
    method: mostly(fc.constant('POST'), fc.constantFrom('GET', 'PUT', 'OPTIONS', 'HEAD'), 30),
    path: fc.constant(`/oauth/${name}`),
    query: mostly(fc.constant(''), formOf(FORMS[name] ?? {}), 30),
    headers: HEADERS,
    body: mostly<string | undefined>(
      formOf(FORMS[name] ?? {}),
      fc.constantFrom(undefined, '&&=%'),
      30,
    ),
  }),
)

const get = fc.record<Abstract>({
  as: mostly(fc.constant('nobody'), fc.constantFrom('owner', 'wrong'), 12),
  method: mostly(fc.constant('GET'), fc.constantFrom('POST', 'HEAD', 'DELETE'), 30),
  path: mostly(
    fc.constant('/oauth/authorize'),
    fc.constantFrom(
      ...['/oauth/authorize/x', '/oauth/authorize/%00', '/oauth/authorize/', '/oauth/none/keys'],
      ...['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'],
    ),
    4,
  ),
  query: formOf(QUERY),
  headers: fc.constant({}),
  body: fc.constant(undefined),
})

/** Requests to the addresses of OAuth: most of them what a client would ask, or nearly. */
export const oauthRequest: Arbitrary<Abstract> = mostly(post, get, 2)

/** Codes of errors of the protocol by status (contract 4.4). */
const ERRORS: Record<number, readonly string[]> = {
  400: [
    ...['invalid_request', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
    ...['invalid_scope', 'invalid_target'],
  ],
  401: ['invalid_client'],
}

/** Whether an answer is one of the protocol's own, and what is wrong with it. */
export function faultOfProtocol(
  path: string,
  { status, headers, text }: Replied,
): { fault: string | undefined } | undefined {
  const found = (fault?: string) => ({ fault })
  if (path.startsWith('/oauth/authorize')) {
    const to = headers.location ?? ''
    if (
      status === 303 &&
      /^(http:\/\/127\.0\.0\.1:4000\/oauth\/consent\/|https:\/\/app\.example\/cb\?)/.test(to)
    )
      return found()
    if (status === 303) return found(`leads to ${to}`)
    if (status === 400)
      return found(headers['content-type']?.startsWith('text/html') ? undefined : 'is no page')
    return undefined
  }
  if (path === '/oauth/revoke' && status === 200)
    return found(text === '' ? undefined : 'has a body')
  if (status !== 400 && status !== 401) return undefined
  const { error, error_description, scope, ...more } = JSON.parse(text) as Record<string, unknown>
  if (typeof error !== 'string') return undefined
  if (!ERRORS[status]?.includes(error)) return found(`is ${status} ${error}`)
  if (headers['cache-control'] !== 'no-store') return found('may be stored')
  if (scope !== undefined && error !== 'invalid_scope') return found('has scope')
  if (typeof error_description !== 'string') return found('is not explained')
  return found(Object.keys(more).length > 0 ? `has ${Object.keys(more)}` : undefined)
}
