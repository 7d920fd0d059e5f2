import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { rotateSecret } from '#identity/applications.ts'
import { newAddress } from '../support/browser.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { basicOf, client, newApp } from '../support/oauth.ts'
import { exchange, portOf } from '../support/socket.ts'
import { type Fields, sendForm, wordOf } from './oauth.ts'
import { type Clients, ways } from './oauth-clients.ts'

/** Each address, and how it answers a client that is who it says. */
const ADDRESSES: readonly (readonly [path: string, form: Fields, known: string])[] = [
  [
    '/oauth/token',
    [
      ['grant_type', 'authorization_code'],
      ['code', 'x'],
      ['redirect_uri', 'https://app.example/cb'],
      ['code_verifier', 'x'.repeat(43)],
    ],
    '400 invalid_grant',
  ],
  [
    '/oauth/token',
    [
      ['grant_type', 'refresh_token'],
      ['refresh_token', 'x'],
    ],
    '400 invalid_grant',
  ],
  ['/oauth/revoke', [['token', 'x']], '200'],
  ['/oauth/introspect', [['token', 'x']], '200'],
]

async function clientsOf(docket: Served, home: Home): Promise<Clients> {
  const confidential = await newApp(docket, home, { type: 'confidential' })
  const rotated = confidential.secret ?? ''
  const within = { ...NOBODY, workspace_id: home.workspace, role: 'owner' } as const
  const type = 'confidential'
  const secret = await docket.storage.write(within, (tx) =>
    rotateSecret(tx, { id: confidential.id, type }, tx.now),
  )
  return {
    confidential: { ...confidential, secret },
    another: await newApp(docket, home, { type }),
    open: await newApp(docket, home),
    rotated,
  }
}

for (const engine of ENGINES) {
  test(`a client is who it says by one way alone, everywhere (${engine})`, async () => {
    const docket = await docketOn(engine)
    const clients = await clientsOf(docket, await newHome(docket.storage))
    const faults: string[] = []
    for (const [path, form, known] of ADDRESSES) {
      for (const [name, { authorization, fields = [] }, outcome] of ways(clients)) {
        const headers = authorization === undefined ? {} : { authorization }
        const said = await sendForm(docket, path, [...form, ...fields], { headers })
        const word = wordOf(said)
        if (word !== (outcome === 'in' ? known : outcome)) {
          faults.push(`${path}, ${name}: ${said.status} ${said.text}`)
        }
        const isChallenged = said.status === 401 && authorization !== undefined
        const challenge = isChallenged ? 'Basic realm="docket"' : undefined
        assert.equal(said.headers['www-authenticate'], challenge, name)
        assert.equal(said.headers['cache-control'], 'no-store')
        assert.doesNotMatch(said.text, new RegExp(clients.confidential.secret ?? ''))
      }
    }
    assert.deepEqual(faults, [])
  })

  test(`a client that sends two Authorization headers is none (${engine})`, async () => {
    const docket = await docketOn(engine)
    const { confidential } = await clientsOf(docket, await newHome(docket.storage))
    const port = await portOf(docket.server)
    const right = `Authorization: ${basicOf(confidential.id, confidential.secret ?? '')}\r\n`
    const wrong = 'Authorization: Basic eDp5\r\n'
    for (const [headers, status] of [
      [right, 200],
      [right + right, 400],
      [right + wrong, 400],
      [wrong + right, 400],
    ] as const) {
      const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n'
      const head = `POST /oauth/introspect HTTP/1.1\r\nHost: 127.0.0.1:4000\r\n${type}${headers}\r\n`
      const { replies } = await exchange(port, `${head}token=x`)
      assert.equal(replies[0]?.status, status, headers)
    }
  })

  test(`who fails too often is told to wait, and nobody else at the address is (${engine})`, async () => {
    const docket = await docketOn(engine, { DOCKET_UNAUTHENTICATED_LIMIT: '5' })
    const home = await newHome(docket.storage)
    const { confidential } = await clientsOf(docket, home)
    const good = basicOf(confidential.id, confidential.secret ?? '')
    const fields = [['token', 'x']] as const
    const guess = (address: string, authorization = basicOf(confidential.id, 'x')) =>
      sendForm(docket, '/oauth/introspect', fields, { headers: { authorization }, address })
    // The minute may end in between: then it begins anew, once.
    for (let tries = 0; tries < 2; tries += 1) {
      const minute = Math.floor(Date.now() / 60_000)
      const address = newAddress()
      const words = []
      for (let at = 0; at < 7; at += 1) words.push(wordOf(await guess(address)))
      const [late, known, other] = [
        await guess(address),
        await guess(address, good),
        await guess(newAddress()),
      ]
      const headers = { authorization: `Bearer ${home.keys.owner}` }
      const asked = { url: '/api/v1/me', remoteAddress: address }
      const keyed = await docket.server.inject({ ...asked, headers })
      const keyless = await docket.server.inject(asked)
      if (Math.floor(Date.now() / 60_000) !== minute) continue
      const limited = '429 too_many_unauthenticated_requests'
      assert.deepEqual(words, [...Array(5).fill('401 invalid_client'), limited, limited])
      assert.equal(wordOf(late), limited)
      assert.match(String(late.headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
      assert.equal(late.headers['x-ratelimit-limit'], undefined)
      assert.deepEqual([known.status, wordOf(other)], [200, '401 invalid_client'])
      assert.deepEqual([keyed.statusCode, keyless.statusCode], [200, 429])
      break
    }
  })

  test(`what a client asks for of the tokens of others is not told, and not done (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const clients = await clientsOf(docket, home)
    const own = client(docket, home, clients.confidential)
    const tokens = await own.tokensFor('member')
    const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.x'
    for (const hint of ['', 'access_token', 'refresh_token', 'unknown']) {
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        const form = { token, token_type_hint: hint }
        for (const [app, revoked] of [
          [clients.another, '400 invalid_request'],
          [clients.open, '200'],
        ] as const) {
          const other = client(docket, home, app)
          assert.deepEqual((await other.post('/oauth/introspect', form)).body, { active: false })
          assert.equal(wordOf(await other.post('/oauth/revoke', form)), revoked)
        }
        const told = await own.post('/oauth/introspect', form)
        const { exp, iat, ...rest } = told.body
        const isAccess = token === tokens.access_token
        assert.deepEqual(rest, {
          active: true,
          ...{ client_id: clients.confidential.id, scope: 'tasks:read' },
          ...{ sub: home.people.member, iss: docket.config.baseUrl, aud: docket.config.baseUrl },
          ...(isAccess && { token_type: 'Bearer' }),
        })
        const lasts = isAccess ? 3_600 : 30 * 86_400
        assert.ok(Math.abs(Number(exp) - Number(iat) - lasts) <= 1)
      }
      for (const token of [
        JWT,
        'x',
        '\0',
        '\ud800',
        'x'.repeat(8_192),
        `${tokens.access_token}x`,
      ]) {
        const form = { token, token_type_hint: hint }
        for (const app of [clients.confidential, clients.open]) {
          const any = client(docket, home, app)
          assert.deepEqual((await any.post('/oauth/introspect', form)).body, { active: false })
          assert.equal((await any.post('/oauth/revoke', form)).text, '')
        }
      }
    }
    assert.equal((await own.me(tokens.access_token)).status, 200)
    for (const path of ['/oauth/revoke', '/oauth/introspect']) {
      assert.equal(wordOf(await own.post(path, {})), '400 invalid_request')
    }
  })

  test(`revoking one token ends all of its family (${engine})`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    for (const type of ['public', 'confidential'] as const) {
      const own = client(docket, home, await newApp(docket, home, { type }))
      for (const kind of ['access_token', 'refresh_token'] as const) {
        const [first, other] = [await own.tokensFor('member'), await own.tokensFor('member')]
        const second = (await own.refresh(first.refresh_token)).body
        const said = await own.post('/oauth/revoke', { token: String(second[kind]) })
        assert.deepEqual([said.status, said.text], [200, ''])
        for (const token of [first.access_token, String(second.access_token)]) {
          assert.equal((await own.me(token)).status, 401)
          assert.deepEqual((await own.post('/oauth/introspect', { token })).body, { active: false })
        }
        assert.equal(wordOf(await own.refresh(String(second.refresh_token))), '400 invalid_grant')
        assert.equal((await own.post('/oauth/revoke', { token: String(second[kind]) })).status, 200)
        assert.equal((await own.me(other.access_token)).status, 200)
      }
    }
  })
}
