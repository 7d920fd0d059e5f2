import { newAddress } from '../support/browser.ts'
import type { Served } from '../support/engines.ts'
import { type App, basicOf } from '../support/oauth.ts'
import { asking, authorize, type Fields, sendForm } from './oauth.ts'

/** Values that a program somewhere on the way may stumble over. */
export const HOSTILE: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\u001b[2J', '\r\nset-cookie: a=b', '\u2028', '\ufeff'],
  ...['\ud800', '\udfff x', '\ud83d\ude00'.repeat(500), 'x'.repeat(8_192), '%', '%zz', '%00'],
  ...["' or 1=1 --", '"><script>', '{"$ne":null}', '[]', 'null', '__proto__', 'constructor'],
  ...['../../../etc/passwd', '-1', '1e999', 'true', '{{7*7}}', 'https://[', 'javascript:alert(1)'],
]

/** Octets that are no text, or no form, as they come in a query or a body. */
const RAW = [
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

const TOKEN_FORM: Fields = [
  ['grant_type', 'authorization_code'],
  ['code', 'x'],
  ['redirect_uri', 'https://app.example/cb'],
  ['code_verifier', 'x'.repeat(43)],
]
const REFRESH_FORM: Fields = [
  ['grant_type', 'refresh_token'],
  ['refresh_token', 'x'],
  ['scope', 'tasks:read'],
  ['resource', 'x'],
]
const LOOK_FORM: Fields = [
  ['token', 'x'],
  ['token_type_hint', 'access_token'],
]

/** Each field in turn with each value, and without it and twice. */
function* spoiled(fields: Fields): Generator<Fields> {
  for (const [at, [name, value]] of fields.entries()) {
    const others = fields.filter((_, other) => other !== at)
    yield others
    yield [...fields, [name, value]]
    for (const hostile of HOSTILE) yield [...others, [name, hostile]]
  }
  yield [...fields, ...HOSTILE.map((name) => [name, 'x'] as const)]
}

/** Sends all of that everywhere; gives what was answered with a fault of ours, or not as it should be. */
export async function besiege(
  docket: Served,
  app: App,
): Promise<{ asked: number; faults: string[] }> {
  const faults: string[] = []
  let asked = 0
  const note = (what: string, status: number, headers: Record<string, unknown>) => {
    asked += 1
    if (status >= 500) faults.push(`${status} for ${what.slice(0, 200)}`)
    if (headers['cache-control'] !== 'no-store') faults.push(`kept: ${what.slice(0, 200)}`)
  }
  for (const fields of spoiled([
    ...asking(app),
    ['resource', 'x'],
    ['prompt', 'login'],
    ['login_hint', 'x'],
  ])) {
    const { status, headers } = await authorize(docket, fields)
    note(`authorize ${JSON.stringify(fields)}`, status, headers)
  }
  for (const raw of RAW) {
    const right = `${new URLSearchParams(asking(app).map((one) => [...one]))}`
    for (const query of [raw, `${right}&${raw}`, `${right}&state=${raw}&scope=${raw}`]) {
      const { status, headers } = await authorize(docket, query)
      note(`authorize ${query}`, status, headers)
    }
  }
  const auth = { authorization: basicOf(app.id, app.secret ?? '') }
  const client: Fields = [
    ['client_id', app.id],
    ['client_secret', app.secret ?? ''],
  ]
  for (const [path, form] of [
    ['/oauth/token', TOKEN_FORM],
    ['/oauth/token', REFRESH_FORM],
    ['/oauth/revoke', LOOK_FORM],
    ['/oauth/introspect', LOOK_FORM],
  ] as const) {
    for (const fields of spoiled(form)) {
      const said = await sendForm(docket, path, fields, { headers: auth })
      note(`${path} ${JSON.stringify(fields)}`, said.status, said.headers)
    }
    for (const fields of spoiled(client)) {
      const said = await sendForm(docket, path, [...form, ...fields])
      note(`${path} as ${JSON.stringify(fields)}`, said.status, said.headers)
    }
    for (const payload of [...RAW, Buffer.from([0xff, 0xfe, 0x00]), '{"token":"x"}']) {
      const reply = await docket.server.inject({
        method: 'POST',
        url: path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...auth },
        payload,
        remoteAddress: newAddress(),
      })
      note(`${path} ${payload}`, reply.statusCode, reply.headers)
    }
  }
  for (const hostile of HOSTILE) {
    const url = `/oauth/authorize/${encodeURIComponent(hostile.toWellFormed())}`
    const cookie = `docket_oauth_resume=${encodeURIComponent(hostile.toWellFormed())}`
    const reply = await docket.server.inject({ url, headers: { cookie } })
    note(url, reply.statusCode, reply.headers)
  }
  return { asked, faults }
}

/** What an application says of itself, each member with each value of each kind. */
export function* registrations(): Generator<[object, isRight: boolean]> {
  const right = { redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Tool' }
  yield [right, true]
  yield [{ ...right, scope: 'tasks:read x:y', client_uri: 'https://app.example' }, true]
  yield [{ ...right, logo_uri: 'http://127.0.0.1:1/', jwks_uri: 'http://127.0.0.1:1/' }, true]
  yield [{ ...right, token_endpoint_auth_method: 'client_secret_basic' }, true]
  yield [{ ...right, grant_types: ['password'], response_types: ['token'] }, true]
  yield [{ redirect_uris: ['com.example.app:/cb'] }, true]
  yield [{ redirect_uris: Array(2).fill('https://a.example/cb') }, true]
  yield [{ ...right, client_name: 'Tool \u202edekcoD' }, false]
  for (const uri of [
    'http://a.example/cb',
    'https://a.example/#',
    'javascript:alert(1)',
    '/cb',
    '*',
  ]) {
    yield [{ ...right, redirect_uris: [uri] }, false]
    yield [{ ...right, redirect_uris: ['https://a.example/cb', uri] }, false]
  }
  for (const value of [null, 1, true, {}, [], [[]], [null], [{}], 'https://a.example/cb']) {
    yield [{ ...right, redirect_uris: value }, false]
    if (value !== 'https://a.example/cb') yield [{ ...right, client_name: value }, false]
    if (value !== 'https://a.example/cb') yield [{ ...right, client_uri: value }, false]
    yield [{ ...right, scope: value }, false]
  }
  yield [{ ...right, redirect_uris: Array(11).fill('https://a.example/cb') }, false]
  for (const value of ['', ' ', 'a\u0000b', 'x'.repeat(101), 'a\u2028b', 'a\nb']) {
    yield [{ ...right, client_name: value }, false]
  }
  for (const value of [
    'a\u0000b',
    'https://a.example/\u0000',
    'https://a.example/\n',
    'ftp://a.b',
  ]) {
    yield [{ ...right, client_uri: value }, false]
    yield [{ ...right, redirect_uris: [value] }, false]
  }
  for (const value of ['', 'x:y', 'openid', '\u0000']) yield [{ ...right, scope: value }, false]
}
