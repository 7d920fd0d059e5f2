import type { TestApplication } from '../support/oauth/oauth-client.ts'
import { authorizationFields, type FormFields, UNUSED_CODE_CHALLENGE } from './send-requests.ts'

/**
 * A request and its outcome: `asked` (consent), `page` (error page), or an error for the client.
 */
export type AuthorizationCase = readonly [name: string, fields: FormFields, outcome: string]

/**
 * A correct request with one change, for every parameter and some unknown ones (docs/spec/api.md#oauth).
 */
export function authorizationCases(app: TestApplication, baseUrl: string): AuthorizationCase[] {
  const withChange = (
    twist: Record<string, string | undefined>,
    outcome: string,
  ): AuthorizationCase => [
    JSON.stringify(twist).slice(0, 120),
    authorizationFields(app, twist),
    outcome,
  ]
  const missing = (outcome: string) => [['', outcome] as const, [undefined, outcome] as const]
  const of = (name: string, rows: readonly (readonly [string | undefined, string])[]) =>
    rows.map(([value, outcome]) => withChange({ [name]: value }, outcome))
  const invalid = 'invalid_request'
  const singleParameters = [
    'response_type',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
  ]
  return [
    withChange({}, 'asked'),
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
      ...missing('invalid_scope'),
      ['x:y', 'invalid_scope'],
      ['openid offline_access', 'invalid_scope'],
      ['TASKS:READ', 'invalid_scope'],
      ['tasks:read,tags:read', 'invalid_scope'],
      ['tasks:read x:y openid', 'asked'],
      ['tasks:read tags:write', 'invalid_scope'],
    ]),
    ...of('state', [
      ...missing('asked'),
      ['x'.repeat(2_048), 'asked'],
      ['x'.repeat(2_049), invalid],
    ]),
    ...of('code_challenge', [
      ...missing(invalid),
      ...[42, 129].map((length) => ['x'.repeat(length), invalid] as const),
      ['x'.repeat(128), 'asked'],
      ...['+', '/', '=', ' ', '\n', '\u00e9', '%', '.', '~'].map(
        (sign) => [sign + UNUSED_CODE_CHALLENGE, invalid] as const,
      ),
    ]),
    ...of('code_challenge_method', [
      ...missing(invalid),
      ...['plain', 's256', 'S512', 'S256 ', 'none'].map((value) => [value, invalid] as const),
    ]),
    withChange({ code_challenge: undefined, code_challenge_method: undefined }, invalid),
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
      // The person has not approved the application.
      ['none', 'page'],
      ['none login', 'page'],
    ]),
    ...[...singleParameters, 'resource', 'prompt'].map((name): AuthorizationCase => {
      const value =
        new Map(authorizationFields(app, { resource: baseUrl, prompt: 'login' })).get(name) ?? ''
      return [
        `${name} twice`,
        [...authorizationFields(app, { [name]: value }), [name, value]],
        invalid,
      ]
    }),
    ...['client_id', 'redirect_uri'].map((name): AuthorizationCase => {
      const value = new Map(authorizationFields(app)).get(name) ?? ''
      return [`${name} twice`, [...authorizationFields(app), [name, value]], 'page']
    }),
    ...IGNORED_PARAMETERS.map(([name, value]) => withChange({ [name]: value }, 'asked')),
    ['unknown twice', [...authorizationFields(app), ['foo', '1'], ['foo', '2']], 'asked'],
  ]
}

/** Parameters of other servers that this one ignores (docs/spec/api.md#oauth; RFC 6749, section 3.1). */
const IGNORED_PARAMETERS: FormFields = [
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
