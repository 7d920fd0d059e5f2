import { type App, basicOf, newPkce } from '../support/oauth.ts'
import type { Send } from './secrets.ts'

/** Whoever answers what an application asks: the cookie of the session, and for which workspace. */
interface Asked {
  origin: string
  cookie: string
  workspace_id: string
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * The same on the way of a confidential application to its tokens: what is made there, and what makers of
 * applications put in the wrong place. Gives the secrets, and the replies in which none may stand.
 */
export async function tellTokens(send: Send, app: App, { origin, cookie, workspace_id }: Asked) {
  const secrets: string[] = []
  const kept = (value: string | undefined) => {
    if (!value) throw new Error(`No secret was made after ${secrets.length}`)
    secrets.push(value)
    return value
  }
  const one = () => kept(`CANARY-${crypto.randomUUID()}`)
  const basic = (secret: string) => {
    const authorization = basicOf(app.id, secret)
    kept(authorization.slice('Basic '.length))
    return { authorization }
  }
  const secret = kept(app.secret)
  const client = basic(secret)
  const post = (url: string, fields: Record<string, string>, more: object = client) =>
    send(undefined, {
      ...{ method: 'POST', url, body: new URLSearchParams(fields).toString() },
      headers: { 'content-type': FORM, ...more },
    })
  const get = (url: string, headers = {}) => send(undefined, { method: 'GET', url, headers })
  const replies: Record<string, string> = {}
  const told = async (replied: ReturnType<Send>, status: number) => {
    const { text, headers, ...is } = await replied
    const name = `reply ${Object.keys(replies).length} of OAuth`
    if (is.status !== status) throw new Error(`${name} is ${is.status}, not ${status}: ${text}`)
    replies[name] = text + JSON.stringify(headers)
  }

  const [first, second] = [await newCode(), await newCode()]
  await newCode()
  await ask(newPkce().challenge)
  const exchange = { grant_type: 'authorization_code', redirect_uri: app.redirect_uri }
  const right = { ...exchange, ...first }
  await told(post('/oauth/token', right, basic(`dcs_${one()}`)), 401)
  await told(post('/oauth/token', right, { authorization: `Bearer ${one()}` }), 401)
  await told(post('/oauth/token', { ...right, client_id: one() }, {}), 401)
  await told(post('/oauth/token', { ...right, client_id: app.id, client_secret: one() }, {}), 401)
  await told(post('/oauth/token', { ...right, code_verifier: one() }), 400)
  await told(post('/oauth/token', { ...right, redirect_uri: `${origin}/${one()}` }), 400)
  await told(post('/oauth/token', { ...right, code: one() }), 400)
  await told(post('/oauth/token', { ...right, grant_type: one() }), 400)
  const given = await tokensBy(right)
  const newer = await tokensBy({ grant_type: 'refresh_token', refresh_token: given.refresh_token })
  await tokensBy({ ...exchange, ...second })
  await told(post('/oauth/token', { ...exchange, ...second }), 400)
  const refresh = { grant_type: 'refresh_token', refresh_token: one() }
  await told(post('/oauth/token', refresh), 400)
  await told(post('/oauth/token', { ...refresh, refresh_token: newer.access_token }), 400)
  await told(post('/oauth/token', { ...refresh, scope: one() }), 400)
  await told(post(`/oauth/token?client_secret=${secret}`, refresh, {}), 401)
  await told(post('/oauth/token', refresh, { ...client, 'content-type': one() }), 415)
  await told(post('/oauth/token', { ...refresh, padding: 'x'.repeat(70_000) }), 413)
  await told(post('/oauth/introspect', { token: newer.access_token }), 200)
  await told(post('/oauth/introspect', { token: newer.refresh_token }), 200)
  await told(post('/oauth/introspect', { token: one() }), 200)
  await told(post('/oauth/introspect', { token: newer.access_token }, {}), 401)
  await told(post('/oauth/revoke', { token: one(), token_type_hint: one() }), 200)
  await told(get(`/api/v1/me?access_token=${newer.access_token}`), 401)
  await told(get('/api/v1/me', { authorization: `Bearer ${newer.refresh_token}` }), 401)
  await told(get('/api/v1/me', { authorization: `Bearer ${newer.access_token}` }), 200)
  await told(get(`/api/v1/me?x=${one()}`, { authorization: `Bearer ${newer.access_token}` }), 400)
  await told(get(`/oauth/authorize?client_id=${secret}`), 400)
  await told(get(`/oauth/authorize?client_id=${app.id}&redirect_uri=${origin}/${one()}`), 400)
  await told(get(`/oauth/authorize/${one()}`), 400)
  await told(get(`/oauth/token?refresh_token=${newer.refresh_token}`), 405)
  const decision = { decision: 'allow', workspace_id }
  await told(decide(one(), decision), 404)
  await told(decide(`${one()}?code=${one()}`, decision), 400)
  const rotated = await send(undefined, {
    ...{ method: 'POST', url: `/internal/apps/${app.id}/rotate-secret`, body: {} },
    headers: { origin, cookie },
  })
  kept(JSON.parse(rotated.text).client_secret)
  return { secrets, replies }

  function decide(uid: string, body: object, cookies = '') {
    const headers = { origin, cookie: `${cookie}; ${cookies}` }
    const url = `/internal/oauth/interactions/${uid}`
    return send(undefined, { method: 'POST', url, body, headers })
  }

  /** What is asked of a person: all cookies are secrets too. */
  async function ask(challenge: string) {
    const asked = new URLSearchParams({
      ...{ response_type: 'code', client_id: app.id, redirect_uri: app.redirect_uri },
      ...{ scope: 'tasks:read', code_challenge: challenge, code_challenge_method: 'S256' },
    })
    const { headers } = await get(`/oauth/authorize?${asked}`, { cookie })
    const cookies = [...(headers['set-cookie'] ?? '').matchAll(/(docket_[\w.-]+)=([^;,]+)/g)]
    for (const [, , value] of cookies) kept(value)
    const sent = cookies.map(([pair]) => pair).join('; ')
    const uid = kept(/\/consent\/([\w-]+)/.exec(headers.location ?? '')?.[1])
    return { uid, sent }
  }

  /** A code as the browser brings it, with its verifier. */
  async function newCode() {
    const { verifier, challenge } = newPkce()
    const { uid, sent } = await ask(challenge)
    const decided = await decide(uid, { decision: 'allow', workspace_id }, sent)
    if (decided.status !== 200) throw new Error(`Nothing is allowed: ${decided.text}`)
    const { pathname } = new URL(JSON.parse(decided.text).redirect_to)
    const back = await get(pathname, { cookie: sent })
    const code = kept(new URL(back.headers.location ?? '').searchParams.get('code') ?? '')
    return { code, code_verifier: kept(verifier) }
  }

  async function tokensBy(fields: Record<string, string>) {
    const { text } = await post('/oauth/token', fields)
    const { access_token, refresh_token } = JSON.parse(text) as Record<string, string>
    return { access_token: kept(access_token), refresh_token: kept(refresh_token) }
  }
}
