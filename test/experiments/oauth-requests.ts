import type { App } from '../support/oauth.ts'
import { asking, CHALLENGE, type Fields } from './oauth.ts'

/** A request, and what comes of it: `asked`, the page of errors, or an error sent to the application. */
export type Row = readonly [name: string, fields: Fields, outcome: string]

/** The same request with one thing changed, for every parameter of contract 4.4 and some of no contract. */
export function requests(app: App, baseUrl: string): Row[] {
  const twisted = (twist: Record<string, string | undefined>, outcome: string): Row => [
    JSON.stringify(twist).slice(0, 120),
    asking(app, twist),
    outcome,
  ]
  const missing = (outcome: string) => [['', outcome] as const, [undefined, outcome] as const]
  const of = (name: string, rows: readonly (readonly [string | undefined, string])[]) =>
    rows.map(([value, outcome]) => twisted({ [name]: value }, outcome))
  const invalid = 'invalid_request'
  const twice = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method']
  return [
    twisted({}, 'asked'),
    ...of('response_type', [
      ...missing(invalid),
      ...['token', 'id_token', 'code token', 'none', 'CODE', 'code '].map(
        (value) => [value, 'unsupported_response_type'] as const,
      ),
    ]),
    ...of('client_id', [
      ...missing('page'),
      ...['app_0', app.id.toUpperCase(), `${app.id} `, `${app.id}\0`, "' or 1=1 --"].map(
        (value) => [value, 'page'] as const,
      ),
      ['https://evil.example/client.json', 'page'],
    ]),
    ...of('redirect_uri', missing('page')),
    ...of('scope', [
      ...missing(invalid),
      ['x:y', 'invalid_scope'],
      ['openid offline_access', 'invalid_scope'],
      ['TASKS:READ', 'invalid_scope'],
      ['tasks:read,tags:read', 'invalid_scope'],
      ['tasks:read x:y openid', 'asked'],
      ['tasks:read tags:write', 'invalid_scope'],
    ]),
    ...of('state', [...missing('asked'), ['x'.repeat(4_000), 'asked']]),
    ...of('code_challenge', [
      ...missing(invalid),
      ...[42, 129].map((length) => ['x'.repeat(length), invalid] as const),
      ['x'.repeat(128), 'asked'],
      ...['+', '/', '=', ' ', '\n', '\u00e9', '%', '.', '~'].map(
        (sign) => [sign + CHALLENGE, invalid] as const,
      ),
    ]),
    ...of('code_challenge_method', [
      ...missing(invalid),
      ...['plain', 's256', 'S512', 'S256 ', 'none'].map((value) => [value, invalid] as const),
    ]),
    twisted({ code_challenge: undefined, code_challenge_method: undefined }, invalid),
    ...of('resource', [
      [baseUrl, 'asked'],
      [`${baseUrl}/`, 'asked'],
      ['', 'asked'],
      ...['https://evil.example', `${baseUrl}/api`, `${baseUrl}#`, '/', 'x', `${baseUrl}//`].map(
        (value) => [value, 'invalid_target'] as const,
      ),
    ]),
    ...of('prompt', [
      ...['', 'login', 'consent', 'login consent'].map((value) => [value, 'asked'] as const),
      ['none', 'login_required'],
      ['none login', invalid],
    ]),
    ...[...twice, 'resource', 'prompt'].map((name): Row => {
      const value = new Map(asking(app, { resource: baseUrl, prompt: 'login' })).get(name) ?? ''
      return [`${name} twice`, [...asking(app, { [name]: value }), [name, value]], invalid]
    }),
    ...['client_id', 'redirect_uri'].map((name): Row => {
      const value = new Map(asking(app)).get(name) ?? ''
      return [`${name} twice`, [...asking(app), [name, value]], 'page']
    }),
    ...IGNORED.map(([name, value]) => twisted({ [name]: value }, 'asked')),
    ['unknown twice', [...asking(app), ['foo', '1'], ['foo', '2']], 'asked'],
  ]
}

/** What other servers know and this one does not (contract 4.4; RFC 6749, section 3.1). */
const IGNORED: Fields = [
  ['request', 'eyJhbGciOiJub25lIn0.e30.'],
  ['request_uri', 'https://evil.example/request.jwt'],
  ['response_mode', 'fragment'],
  ['response_mode', 'form_post'],
  ['response_mode', 'web_message'],
  ['nonce', 'n'],
  ['max_age', '0'],
  ['claims', '{"userinfo":{"email":null}}'],
  ['id_token_hint', 'eyJhbGciOiJub25lIn0.e30.'],
  ['registration', '{}'],
  ['acr_values', 'x'],
  ['display', 'popup'],
  ['ui_locales', '../../etc'],
  ['client_secret', 'x'],
  ['code_verifier', 'x'],
  ['iss', 'https://evil.example'],
  ['code', 'x'],
  ['error', 'x'],
  ['__proto__', 'x'],
]
