import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createOAuthApplication, type NewApplication } from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Role } from '#wire/rights.ts'
import { SCOPES } from '#wire/scopes.ts'
import type { TestDocket } from '../engines/test-docket.ts'
import { newClientAddress } from '../world/cookie-client.ts'
import { createTestSession, type TestSession } from '../world/test-session.ts'
import type { TestWorkspace } from '../world/test-workspace.ts'

/** A registered OAuth application. */
export interface TestApplication {
  id: string
  /** Only confidential applications have one. */
  secret: string | undefined
  redirect_uri: string
}

/** Registers an application in a workspace; by default a public one that may request all scopes. */
export async function createTestApplication(
  { storage }: Pick<TestDocket, 'storage'>,
  { workspace, people }: Pick<TestWorkspace, 'workspace' | 'people'>,
  wanted: Partial<NewApplication> = {},
): Promise<TestApplication> {
  const redirect_uris = wanted.redirect_uris ?? ['https://app.example/cb']
  const made = await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) =>
    createOAuthApplication(tx, {
      name: 'App',
      description: null,
      homepage_url: null,
      type: 'public',
      distribution: 'private',
      scopes: SCOPES,
      created_by_id: people.owner,
      ...wanted,
      redirect_uris,
    }),
  )
  return { id: made.id, secret: made.client_secret, redirect_uri: redirect_uris[0] ?? '' }
}

/** A code verifier and its challenge (RFC 7636). */
export function createPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The response of an OAuth endpoint. */
export interface OAuthReply {
  status: number
  body: Record<string, unknown>
  text: string
  headers: Record<string, unknown>
}

/** A token response (RFC 6749 §5.1). */
export interface TokenReply {
  access_token: string
  refresh_token: string
  expires_in: number
  scope: string
  token_type: string
}

/** The two sides of an application: the browser that it redirects, and its own requests from an address. */
export function createOAuthClient(
  { server, storage, config }: TestDocket,
  team: TestWorkspace,
  app: TestApplication,
  address = newClientAddress(),
) {
  async function post(
    path: string,
    form: Record<string, string>,
    basic?: string,
  ): Promise<OAuthReply> {
    const auth =
      basic ?? (app.secret === undefined ? undefined : basicAuthorization(app.id, app.secret))
    const reply = await server.inject({
      method: 'POST',
      url: path,
      remoteAddress: address,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(auth !== undefined && auth !== '' && { authorization: auth }),
      },
      payload: new URLSearchParams({
        ...(auth === undefined && { client_id: app.id }),
        ...form,
      }).toString(),
    })
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    const body = isJson && reply.body !== '' ? reply.json() : {}
    return { status: reply.statusCode, body, text: reply.body, headers: reply.headers }
  }

  /** Requests authorization; returns the redirect and the cookies that the browser gets. */
  async function ask(given: Record<string, string | undefined>, signedIn?: TestSession) {
    const params = Object.entries({
      response_type: 'code',
      client_id: app.id,
      redirect_uri: app.redirect_uri,
      scope: 'tasks:read',
      state: 'a state',
      code_challenge_method: 'S256',
      ...given,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    const reply = await server.inject({
      url: `/oauth/authorize?${new URLSearchParams(params)}`,
      headers: signedIn ? { cookie: signedIn.headers.cookie } : {},
      remoteAddress: address,
    })
    const location = String(reply.headers.location ?? '')
    const uid = /\/oauth\/consent\/([\w-]+)/.exec(location)?.[1] ?? ''
    const cookies = cookiesOf(reply.headers['set-cookie'])
    return { status: reply.statusCode, location, uid, cookies, text: reply.body }
  }

  /** Allows or denies on the consent page. */
  async function decide(
    uid: string,
    { headers }: TestSession,
    cookies: string,
    body: object = { decision: 'allow', workspace_id: team.workspace },
  ) {
    const reply = await server.inject({
      method: 'POST',
      url: `/internal/oauth/interactions/${uid}`,
      headers: { ...headers, cookie: `${headers.cookie}; ${cookies}` },
      remoteAddress: address,
      payload: body,
    })
    return { status: reply.statusCode, body: reply.json() as Record<string, unknown> }
  }

  /** Follows the redirect after consent; returns where the browser is sent next. */
  async function goOn(redirect_to: string, cookies: string) {
    const { pathname } = new URL(redirect_to)
    const reply = await server.inject({ url: pathname, headers: { cookie: cookies } })
    const location = String(reply.headers.location ?? '')
    return { status: reply.statusCode, location, text: reply.body }
  }

  /** Runs the flow up to the authorization code, as the person with this role. */
  async function codeFor(role: Role, given: Record<string, string | undefined> = {}) {
    const { verifier, challenge } = createPkce()
    const signedIn = await createTestSession(storage, team, role, config.baseUrl)
    const asked = await ask({ code_challenge: challenge, ...given }, signedIn)
    assert.equal(asked.status, 303, asked.text)
    const decided = await decide(asked.uid, signedIn, asked.cookies)
    assert.equal(decided.status, 200, JSON.stringify(decided.body))
    const { location } = await goOn(String(decided.body.redirect_to), asked.cookies)
    const back = new URL(location).searchParams
    assert.ok(back.get('code'), location)
    return { code: back.get('code') ?? '', verifier, back }
  }

  const exchange = (code: string, verifier: string, more: Record<string, string> = {}) =>
    post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: app.redirect_uri,
      code_verifier: verifier,
      ...more,
    })

  const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
    post('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...more })

  /** Runs the whole flow and returns the tokens. */
  async function tokensFor(role: Role, given: Record<string, string | undefined> = {}) {
    const { code, verifier } = await codeFor(role, given)
    const said = await exchange(code, verifier)
    assert.equal(said.status, 200, said.text)
    return parseTokenReply(said)
  }

  /** Calls the API with an access token. */
  async function me(access_token: string) {
    const headers = { authorization: `Bearer ${access_token}` }
    const reply = await server.inject({ url: '/api/v1/me', headers, remoteAddress: address })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }

  return { ask, decide, goOn, codeFor, exchange, refresh, tokensFor, post, me }
}

/** Parses a token response; fails if a token is missing. */
export function parseTokenReply({ body, text }: Pick<OAuthReply, 'body' | 'text'>): TokenReply {
  const { access_token, refresh_token, expires_in, scope, token_type } = body
  const isWhole = typeof access_token === 'string' && typeof refresh_token === 'string'
  assert.ok(isWhole && typeof scope === 'string', text)
  assert.equal(token_type, 'Bearer', text)
  return {
    access_token,
    refresh_token,
    expires_in: Number(expires_in),
    scope,
    token_type: 'Bearer',
  }
}

export const basicAuthorization = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

function cookiesOf(header: number | string | string[] | undefined): string {
  return [header ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';', 1)[0])
    .join('; ')
}
