import fc, { type Arbitrary } from 'fast-check'
import { SCOPES } from '#wire/scopes.ts'
import type { ApiReply } from '../support/api/call-api.ts'
import type { TestDocket } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'
import type { AbstractRequest } from './arbitrary-request.ts'
import { arbitraryId, encodeQueryValue } from './arbitrary-values.ts'

/** Creates an application. Returns its id, its secret, and tokens with all scopes. */
export async function createOAuthCredentials(
  served: TestDocket,
  team: TestWorkspace,
): Promise<string[]> {
  const app = await createTestApplication(served, team, { type: 'confidential' })
  const { tokensFor } = createOAuthClient(served, team, app)
  const credentials = [app.id, app.secret ?? '']
  for (const role of ['owner', 'member', 'guest', 'owner'] as const) {
    const { access_token, refresh_token } = await tokensFor(role, { scope: SCOPES.join(' ') })
    credentials.push(access_token, refresh_token)
  }
  return credentials
}

type FormArbitraries = Record<string, Arbitrary<string>>

const ODD_VALUES = fc.constantFrom(
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
  'constructor',
  '__proto__',
  'null',
  'undefined',
  'x'.repeat(513),
  'y'.repeat(70_000),
  'none',
)
const redirect = fc.constantFrom(
  'https://app.example/cb',
  'https://app.example/cb/',
  'https://evil.example/cb',
  'javascript:1',
)
const verifier = fc.constantFrom('v'.repeat(43), 'v'.repeat(42), 'v'.repeat(128), '~'.repeat(43))
const token = fc.oneof(
  arbitraryId('drt'),
  arbitraryId('dat'),
  arbitraryId('dcs'),
  arbitraryId('app'),
)
const scope = fc
  .array(fc.constantFrom<string>(...SCOPES, 'openid', 'x:y', ''), { minLength: 1, maxLength: 4 })
  .map((names) => names.join(' '))

const CLIENT: FormArbitraries = { client_id: arbitraryId('app'), client_secret: arbitraryId('dcs') }
const FORMS_BY_ENDPOINT: Record<string, FormArbitraries> = {
  token: {
    ...CLIENT,
    grant_type: fc.oneof(
      { arbitrary: fc.constant('refresh_token'), weight: 4 },
      {
        arbitrary: fc.constantFrom('authorization_code', 'password', 'client_credentials'),
        weight: 1,
      },
    ),
    refresh_token: arbitraryId('drt'),
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
  revoke: { ...CLIENT, token: fc.oneof(arbitraryId('dcs'), arbitraryId('app')) },
  introspect: { ...CLIENT, token, token_type_hint: fc.constantFrom('access_token', 'x') },
  register: { ...CLIENT, redirect_uris: redirect, scope },
}
const AUTHORIZE_QUERY: FormArbitraries = {
  client_id: arbitraryId('app'),
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

/** Forms with most of the fields, each once or twice, most of them valid. */
function arbitraryForm(fields: FormArbitraries): Arbitrary<string> {
  const each = Object.entries(fields).map(([name, value]) =>
    fc.tuple(mostly(value, ODD_VALUES, 30), fc.integer({ min: 0, max: 40 })).map(([one, times]) => {
      const pair = `${name}=${encodeQueryValue(one)}`
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

const post = fc.constantFrom(...Object.keys(FORMS_BY_ENDPOINT)).chain((name) =>
  fc.record<AbstractRequest>({
    as: mostly(fc.constant('nobody'), fc.constantFrom('owner', 'wrong'), 12),
    method: mostly(fc.constant('POST'), fc.constantFrom('GET', 'PUT', 'OPTIONS', 'HEAD'), 30),
    path: fc.constant(`/oauth/${name}`),
    query: mostly(fc.constant(''), arbitraryForm(FORMS_BY_ENDPOINT[name] ?? {}), 30),
    headers: HEADERS,
    body: mostly<string | undefined>(
      arbitraryForm(FORMS_BY_ENDPOINT[name] ?? {}),
      fc.constantFrom(undefined, '&&=%'),
      30,
    ),
  }),
)

const get = fc.record<AbstractRequest>({
  as: mostly(fc.constant('nobody'), fc.constantFrom('owner', 'wrong'), 12),
  method: mostly(fc.constant('GET'), fc.constantFrom('POST', 'HEAD', 'DELETE'), 30),
  path: mostly(
    fc.constant('/oauth/authorize'),
    fc.constantFrom(
      '/oauth/authorize/x',
      '/oauth/authorize/%00',
      '/oauth/authorize/',
      '/oauth/none/keys',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource',
    ),
    4,
  ),
  query: arbitraryForm(AUTHORIZE_QUERY),
  headers: fc.constant({}),
  body: fc.constant(undefined),
})

/** Requests to OAuth endpoints, most of them valid or nearly valid. */
export const arbitraryOAuthRequest: Arbitrary<AbstractRequest> = mostly(post, get, 2)

/** OAuth error codes by status (docs/spec/api.md#oauth). */
const OAUTH_ERRORS: Record<number, readonly string[]> = {
  400: [
    'invalid_request',
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
    'invalid_target',
  ],
  401: ['invalid_client'],
}

/** Checks a reply in the format of OAuth. Returns undefined for replies in another format. */
export function findOAuthFault(
  path: string,
  { status, headers, text }: ApiReply,
): { fault: string | undefined } | undefined {
  const result = (fault?: string) => ({ fault })
  if (path.startsWith('/oauth/authorize')) {
    const to = headers.location ?? ''
    if (
      status === 303 &&
      /^(http:\/\/127\.0\.0\.1:4000\/oauth\/consent\/|https:\/\/app\.example\/cb\?)/.test(to)
    )
      return result()
    if (status === 303) return result(`leads to ${to}`)
    if (status === 400)
      return result(headers['content-type']?.startsWith('text/html') ? undefined : 'is no page')
    return undefined
  }
  if (path === '/oauth/revoke' && status === 200)
    return result(text === '' ? undefined : 'has a body')
  if (status !== 400 && status !== 401) return undefined
  const { error, error_description, scope, ...more } = JSON.parse(text) as Record<string, unknown>
  if (typeof error !== 'string') return undefined
  if (!OAUTH_ERRORS[status]?.includes(error)) return result(`is ${status} ${error}`)
  if (headers['cache-control'] !== 'no-store') return result('may be stored')
  if (scope !== undefined && error !== 'invalid_scope') return result('has scope')
  if (typeof error_description !== 'string') return result('is not explained')
  return result(Object.keys(more).length > 0 ? `has ${Object.keys(more)}` : undefined)
}
