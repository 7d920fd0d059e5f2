import {
  basicAuthorization,
  createPkce,
  type TestApplication,
} from '../support/oauth/oauth-client.ts'
import type { SendWithKey } from './secrets.ts'

/** The session that gives consent, and the workspace that it gives consent for. */
interface ConsentSession {
  origin: string
  cookie: string
  workspace_id: string
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Takes a confidential application through the OAuth flow, with secrets in right and in wrong
 * places. Returns all secrets, and the replies that must contain none of them.
 */
export async function sendOAuthSecrets(
  send: SendWithKey,
  app: TestApplication,
  { origin, cookie, workspace_id }: ConsentSession,
) {
  const secrets: string[] = []
  const addSecret = (value: string | undefined) => {
    if (!value) throw new Error(`No secret was made after ${secrets.length}`)
    secrets.push(value)
    return value
  }
  const newSecret = () => addSecret(`CANARY-${crypto.randomUUID()}`)
  const basic = (secret: string) => {
    const authorization = basicAuthorization(app.id, secret)
    addSecret(authorization.slice('Basic '.length))
    return { authorization }
  }
  const secret = addSecret(app.secret)
  const client = basic(secret)
  const post = (url: string, fields: Record<string, string>, more: object = client) =>
    send(undefined, {
      method: 'POST',
      url,
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': FORM, ...more },
    })
  const get = (url: string, headers = {}) => send(undefined, { method: 'GET', url, headers })
  const replies: Record<string, string> = {}
  const expectStatus = async (request: ReturnType<SendWithKey>, status: number) => {
    const { text, headers, ...rest } = await request
    const name = `reply ${Object.keys(replies).length} of OAuth`
    if (rest.status !== status) throw new Error(`${name} is ${rest.status}, not ${status}: ${text}`)
    replies[name] = text + JSON.stringify(headers)
  }

  const [firstCode, secondCode] = [await newCode(), await newCode()]
  await newCode()
  await ask(createPkce().challenge)
  const exchange = { grant_type: 'authorization_code', redirect_uri: app.redirect_uri }
  const exchangeForm = { ...exchange, ...firstCode }
  await expectStatus(post('/oauth/token', exchangeForm, basic(`dcs_${newSecret()}`)), 401)
  await expectStatus(
    post('/oauth/token', exchangeForm, { authorization: `Bearer ${newSecret()}` }),
    401,
  )
  await expectStatus(post('/oauth/token', { ...exchangeForm, client_id: newSecret() }, {}), 401)
  await expectStatus(
    post('/oauth/token', { ...exchangeForm, client_id: app.id, client_secret: newSecret() }, {}),
    401,
  )
  await expectStatus(post('/oauth/token', { ...exchangeForm, code_verifier: newSecret() }), 400)
  await expectStatus(
    post('/oauth/token', { ...exchangeForm, redirect_uri: `${origin}/${newSecret()}` }),
    400,
  )
  await expectStatus(post('/oauth/token', { ...exchangeForm, code: newSecret() }), 400)
  await expectStatus(post('/oauth/token', { ...exchangeForm, grant_type: newSecret() }), 400)
  const tokens = await tokensBy(exchangeForm)
  const newTokens = await tokensBy({
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  })
  await tokensBy({ ...exchange, ...secondCode })
  await expectStatus(post('/oauth/token', { ...exchange, ...secondCode }), 400)
  const refresh = { grant_type: 'refresh_token', refresh_token: newSecret() }
  await expectStatus(post('/oauth/token', refresh), 400)
  await expectStatus(
    post('/oauth/token', { ...refresh, refresh_token: newTokens.access_token }),
    400,
  )
  await expectStatus(post('/oauth/token', { ...refresh, scope: newSecret() }), 400)
  await expectStatus(post(`/oauth/token?client_secret=${secret}`, refresh, {}), 401)
  await expectStatus(post('/oauth/token', refresh, { ...client, 'content-type': newSecret() }), 415)
  await expectStatus(post('/oauth/token', { ...refresh, padding: 'x'.repeat(70_000) }), 413)
  await expectStatus(post('/oauth/introspect', { token: newTokens.access_token }), 200)
  await expectStatus(post('/oauth/introspect', { token: newTokens.refresh_token }), 200)
  await expectStatus(post('/oauth/introspect', { token: newSecret() }), 200)
  await expectStatus(post('/oauth/introspect', { token: newTokens.access_token }, {}), 401)
  await expectStatus(
    post('/oauth/revoke', { token: newSecret(), token_type_hint: newSecret() }),
    200,
  )
  await expectStatus(get(`/api/v1/me?access_token=${newTokens.access_token}`), 401)
  await expectStatus(get('/api/v1/me', { authorization: `Bearer ${newTokens.refresh_token}` }), 401)
  await expectStatus(get('/api/v1/me', { authorization: `Bearer ${newTokens.access_token}` }), 200)
  await expectStatus(
    get(`/api/v1/me?x=${newSecret()}`, { authorization: `Bearer ${newTokens.access_token}` }),
    400,
  )
  await expectStatus(get(`/oauth/authorize?client_id=${secret}`), 400)
  await expectStatus(
    get(`/oauth/authorize?client_id=${app.id}&redirect_uri=${origin}/${newSecret()}`),
    400,
  )
  await expectStatus(get(`/oauth/authorize/${newSecret()}`), 400)
  await expectStatus(get(`/oauth/token?refresh_token=${newTokens.refresh_token}`), 405)
  const decision = { decision: 'allow', workspace_id }
  await expectStatus(decide(newSecret(), decision), 404)
  await expectStatus(decide(`${newSecret()}?code=${newSecret()}`, decision), 400)
  const rotated = await send(undefined, {
    method: 'POST',
    url: `/internal/apps/${app.id}/rotate-secret`,
    body: {},
    headers: { origin, cookie },
  })
  addSecret(JSON.parse(rotated.text).client_secret)
  return { secrets, replies }

  function decide(uid: string, body: object, cookies = '') {
    const headers = { origin, cookie: `${cookie}; ${cookies}` }
    const url = `/internal/oauth/interactions/${uid}`
    return send(undefined, { method: 'POST', url, body, headers })
  }

  /** Opens an authorization request. Its cookies are secrets too. */
  async function ask(challenge: string) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: app.id,
      redirect_uri: app.redirect_uri,
      scope: 'tasks:read',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const { headers } = await get(`/oauth/authorize?${query}`, { cookie })
    const cookies = [...(headers['set-cookie'] ?? '').matchAll(/(docket_[\w.-]+)=([^;,]+)/g)]
    for (const [, , value] of cookies) addSecret(value)
    const cookieHeader = cookies.map(([pair]) => pair).join('; ')
    const uid = addSecret(/\/consent\/([\w-]+)/.exec(headers.location ?? '')?.[1])
    return { uid, cookieHeader }
  }

  /** Returns an authorization code with its PKCE verifier. */
  async function newCode() {
    const { verifier, challenge } = createPkce()
    const { uid, cookieHeader } = await ask(challenge)
    const decided = await decide(uid, { decision: 'allow', workspace_id }, cookieHeader)
    if (decided.status !== 200) throw new Error(`Nothing is allowed: ${decided.text}`)
    const { pathname } = new URL(JSON.parse(decided.text).redirect_to)
    const back = await get(pathname, { cookie: cookieHeader })
    const code = addSecret(new URL(back.headers.location ?? '').searchParams.get('code') ?? '')
    return { code, code_verifier: addSecret(verifier) }
  }

  async function tokensBy(fields: Record<string, string>) {
    const { text } = await post('/oauth/token', fields)
    const { access_token, refresh_token } = JSON.parse(text) as Record<string, string>
    return { access_token: addSecret(access_token), refresh_token: addSecret(refresh_token) }
  }
}
