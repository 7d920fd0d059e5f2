import type { TestDocket } from '../support/engines/test-docket.ts'
import { basicAuthorization, type TestApplication } from '../support/oauth/oauth-client.ts'
import { newClientAddress } from '../support/world/cookie-client.ts'
import {
  authorizationFields,
  type FormFields,
  postForm,
  sendAuthorizationRequest,
} from './send-requests.ts'

/** Values that some program on the way may handle wrongly. */
export const HOSTILE_VALUES: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\u001b[2J',
  '\r\nset-cookie: a=b',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\udfff x',
  '\ud83d\ude00'.repeat(500),
  'x'.repeat(8_192),
  '%',
  '%zz',
  '%00',
  "' or 1=1 --",
  '"><script>',
  '{"$ne":null}',
  '[]',
  'null',
  '__proto__',
  'constructor',
  '../../../etc/passwd',
  '-1',
  '1e999',
  'true',
  '{{7*7}}',
  'https://[',
  'javascript:alert(1)',
]

/** Raw queries and bodies that are no valid UTF-8 or no valid form. */
const RAW_FORMS = [
  '%ff%fe',
  '%ed%a0%80',
  '%f0%9f',
  '&&&',
  '===',
  'a[b]=c&a[]=d',
  '%',
  '+',
  ';',
  '?',
  '\\',
]

const TOKEN_FORM: FormFields = [
  ['grant_type', 'authorization_code'],
  ['code', 'x'],
  ['redirect_uri', 'https://app.example/cb'],
  ['code_verifier', 'x'.repeat(43)],
]
const REFRESH_FORM: FormFields = [
  ['grant_type', 'refresh_token'],
  ['refresh_token', 'x'],
  ['scope', 'tasks:read'],
  ['resource', 'x'],
]
const TOKEN_LOOKUP_FORM: FormFields = [
  ['token', 'x'],
  ['token_type_hint', 'access_token'],
]

/** Yields the fields with each one removed, repeated, and replaced by each hostile value. */
function* variants(fields: FormFields): Generator<FormFields> {
  for (const [at, [name, value]] of fields.entries()) {
    const others = fields.filter((_, other) => other !== at)
    yield others
    yield [...fields, [name, value]]
    for (const hostile of HOSTILE_VALUES) yield [...others, [name, hostile]]
  }
  yield [...fields, ...HOSTILE_VALUES.map((name) => [name, 'x'] as const)]
}

/** Sends hostile values to every OAuth endpoint. Returns replies with 5xx or without `no-store`. */
export async function sendHostileRequests(
  docket: TestDocket,
  app: TestApplication,
): Promise<{ asked: number; faults: string[] }> {
  const faults: string[] = []
  let asked = 0
  const checkReply = (what: string, status: number, headers: Record<string, unknown>) => {
    asked += 1
    if (status >= 500) faults.push(`${status} for ${what.slice(0, 200)}`)
    if (headers['cache-control'] !== 'no-store') faults.push(`kept: ${what.slice(0, 200)}`)
  }
  for (const fields of variants([
    ...authorizationFields(app),
    ['resource', 'x'],
    ['prompt', 'login'],
    ['login_hint', 'x'],
  ])) {
    const { status, headers } = await sendAuthorizationRequest(docket, fields)
    checkReply(`authorize ${JSON.stringify(fields)}`, status, headers)
  }
  for (const raw of RAW_FORMS) {
    const valid = `${new URLSearchParams(authorizationFields(app).map((one) => [...one]))}`
    for (const query of [raw, `${valid}&${raw}`, `${valid}&state=${raw}&scope=${raw}`]) {
      const { status, headers } = await sendAuthorizationRequest(docket, query)
      checkReply(`authorize ${query}`, status, headers)
    }
  }
  const auth = { authorization: basicAuthorization(app.id, app.secret ?? '') }
  const client: FormFields = [
    ['client_id', app.id],
    ['client_secret', app.secret ?? ''],
  ]
  for (const [path, form] of [
    ['/oauth/token', TOKEN_FORM],
    ['/oauth/token', REFRESH_FORM],
    ['/oauth/revoke', TOKEN_LOOKUP_FORM],
    ['/oauth/introspect', TOKEN_LOOKUP_FORM],
  ] as const) {
    for (const fields of variants(form)) {
      const said = await postForm(docket, path, fields, { headers: auth })
      checkReply(`${path} ${JSON.stringify(fields)}`, said.status, said.headers)
    }
    for (const fields of variants(client)) {
      const said = await postForm(docket, path, [...form, ...fields])
      checkReply(`${path} as ${JSON.stringify(fields)}`, said.status, said.headers)
    }
    for (const payload of [...RAW_FORMS, Buffer.from([0xff, 0xfe, 0x00]), '{"token":"x"}']) {
      const reply = await docket.server.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...auth },
        payload,
        remoteAddress: newClientAddress(),
      })
      checkReply(`${path} ${payload}`, reply.statusCode, reply.headers)
    }
  }
  for (const hostile of HOSTILE_VALUES) {
    const url = `/oauth/authorize/${encodeURIComponent(hostile.toWellFormed())}`
    const cookie = `docket_oauth_resume=${encodeURIComponent(hostile.toWellFormed())}`
    const reply = await docket.server.inject({ url, headers: { cookie } })
    checkReply(url, reply.statusCode, reply.headers)
  }
  return { asked, faults }
}

/** Client metadata for dynamic registration, and whether it is valid. */
export function* registrationCases(): Generator<[object, isRight: boolean]> {
  const valid = { redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Tool' }
  yield [valid, true]
  yield [{ ...valid, scope: 'tasks:read x:y', client_uri: 'https://app.example' }, true]
  yield [{ ...valid, logo_uri: 'http://127.0.0.1:1/', jwks_uri: 'http://127.0.0.1:1/' }, true]
  yield [{ ...valid, token_endpoint_auth_method: 'client_secret_basic' }, true]
  yield [{ ...valid, grant_types: ['password'], response_types: ['token'] }, true]
  yield [{ redirect_uris: ['com.example.app:/cb'] }, true]
  yield [{ redirect_uris: Array(2).fill('https://a.example/cb') }, true]
  yield [{ ...valid, client_name: 'Tool \u202edekcoD' }, false]
  for (const uri of [
    'http://a.example/cb',
    'https://a.example/#',
    'javascript:alert(1)',
    '/cb',
    '*',
  ]) {
    yield [{ ...valid, redirect_uris: [uri] }, false]
    yield [{ ...valid, redirect_uris: ['https://a.example/cb', uri] }, false]
  }
  for (const value of [null, 1, true, {}, [], [[]], [null], [{}], 'https://a.example/cb']) {
    yield [{ ...valid, redirect_uris: value }, false]
    if (value !== 'https://a.example/cb') yield [{ ...valid, client_name: value }, false]
    if (value !== 'https://a.example/cb') yield [{ ...valid, client_uri: value }, false]
    yield [{ ...valid, scope: value }, false]
  }
  yield [{ ...valid, redirect_uris: Array(11).fill('https://a.example/cb') }, false]
  for (const value of ['', ' ', 'a\u0000b', 'x'.repeat(101), 'a\u2028b', 'a\nb', 'a\ud800']) {
    yield [{ ...valid, client_name: value }, false]
  }
  for (const value of [
    'a\u0000b',
    'https://a.example/\u0000',
    'https://a.example/\n',
    'https://a.example/\ud800',
    'ftp://a.b',
  ]) {
    yield [{ ...valid, client_uri: value }, false]
    yield [{ ...valid, redirect_uris: [value] }, false]
  }
  for (const value of ['', 'x:y', 'openid', '\u0000']) yield [{ ...valid, scope: value }, false]
}
