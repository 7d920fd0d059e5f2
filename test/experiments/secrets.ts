import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Asking, call, type Replied } from './world/call.ts'

/** Where secrets were found that should be nowhere: the place, and which by their beginning. */
export function remnants(
  places: Readonly<Record<string, string | Buffer>>,
  secrets: readonly string[],
): string[] {
  return Object.entries(places).flatMap(([place, content]) => {
    const bytes = Buffer.from(content)
    const found = secrets.filter((secret) => bytes.includes(secret))
    return found.map((secret) => `${secret.slice(0, 12)}… in ${place}`)
  })
}

/** All files below a directory, with what is in them. */
export function filesIn(directory: string): Record<string, Buffer> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => statSync(join(directory, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name))]))
}

/** One way to ask, whether by a socket or injected. */
export type Send = (key: string | undefined, asking: Asking) => Promise<Replied>

export const injecting =
  (server: FastifyInstance): Send =>
  (key, asking) =>
    call(server, key, asking)

export const fetching =
  (origin: string): Send =>
  async (key, { method, url, body, headers = {} }) => {
    const reply = await fetch(`${origin}${url}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const cookies = reply.headers.getSetCookie().join(', ')
    return {
      status: reply.status,
      headers: { ...Object.fromEntries(reply.headers), ...(cookies && { 'set-cookie': cookies }) },
      text: await reply.text(),
    }
  }

/**
 * Sends secrets in every place where people put them, right and wrong. Gives the secrets, those among
 * them that were made by the server too, and the replies in which none may stand.
 */
export async function tellSecrets(send: Send, key: string, mark: string) {
  let count = 0
  const secret = () => {
    count += 1
    return `CANARY-${mark}-${count}`
  }
  const secrets = [key]
  const replies: Record<string, string> = {}
  const told = async (as: string | undefined, asking: Asking) => {
    const { text, headers } = await send(as, asking)
    replies[`reply ${Object.keys(replies).length} to ${asking.method}`] =
      text + JSON.stringify(headers)
  }
  const one = () => {
    const made = secret()
    secrets.push(made)
    return made
  }
  const me = { method: 'GET', url: '/api/v1/me' }
  await told(one(), me)
  await told(`dkt_${one()}`, me)
  await told(undefined, { ...me, headers: { authorization: `Basic ${one()}` } })
  await told(undefined, { ...me, headers: { authorization: one() } })
  await told(undefined, { ...me, headers: { cookie: `docket_session=${one()}` } })
  await told(key, { ...me, headers: { cookie: `docket_session=${one()}` } })
  await told(key, { ...me, headers: { 'x-request-id': one(), 'proxy-authorization': one() } })
  await told(undefined, { ...me, url: `/api/v1/me?api_key=${key}` })
  await told(undefined, { ...me, url: `/oauth/token?code=${one()}` })
  await told(undefined, { ...me, url: `/password-reset/${one()}` })

  const webhooks = { method: 'POST', url: '/api/v1/webhooks' }
  const body = { url: 'https://example.com/hook', events: ['*'] }
  const headers = { 'idempotency-key': `key-${mark}` }
  const shown = async (asking: Asking) => {
    const { text } = await send(key, asking)
    const { id, secret: made } = JSON.parse(text) as { id: string; secret: string }
    secrets.push(made)
    return id
  }
  const generated = await shown({ ...webhooks, body, headers })
  await shown({ ...webhooks, body, headers })
  const given = await shown({ ...webhooks, body: { ...body, secret: one() } })
  await told(key, { method: 'GET', url: '/api/v1/webhooks' })
  await told(key, { method: 'GET', url: `/api/v1/webhooks/${given}` })
  const patch = { method: 'PATCH', url: `/api/v1/webhooks/${given}` }
  await told(key, { ...patch, body: { secret: one() } })
  await told(key, { ...patch, body: { secret: [one()] } })
  await told(key, { ...patch, body: { secret: `\u0000${one()}` } })
  await told(key, { ...patch, body: `{"secret":"${one()}"` })
  await told(key, { ...patch, body: { secret: one() }, headers: { 'content-type': one() } })
  await told(key, { ...patch, body: { secret: one() }, headers: { 'if-match': '"1"' } })
  await shown({ method: 'POST', url: `/api/v1/webhooks/${generated}/rotate-secret`, body: {} })
  const dry = { method: 'POST', url: '/api/v1/webhooks?dry_run=true' }
  await told(key, { ...dry, body: { ...body, secret: one() } })
  return { secrets: [...new Set(secrets)], replies }
}

/**
 * The same at the ways to an account, whose password is given: what is made there (cookies), and what
 * people type in the wrong place.
 */
export async function tellPasswords(send: Send, origin: string, email: string, password: string) {
  const secrets = [password]
  const headers = { origin }
  const post = (url: string, body: unknown, more = {}) =>
    send(undefined, { method: 'POST', url, body, headers: { ...headers, ...more } })
  const one = () => {
    const made = `CANARY-${crypto.randomUUID()}`
    secrets.push(made)
    return made
  }
  const entered = await post('/internal/session', { email, password })
  const cookies = entered.headers['set-cookie'] ?? ''
  const values = [...cookies.matchAll(/docket_\w+=([^;]+)/g)].map(([, value = '']) => value)
  if (values.length !== 2) throw new Error(`Nobody is signed in: ${entered.text}`)
  secrets.push(...values)
  const cookie = `docket_session=${values[0]}`
  const replies: Record<string, string> = {}
  const told = async (url: string, body: unknown, more = {}) => {
    const { text, headers } = await post(url, body, more)
    replies[`reply ${Object.keys(replies).length} to ${url}`] = text + JSON.stringify(headers)
  }
  await told('/internal/session', { email, password: one() })
  await told('/internal/session', { email: one(), password: one() })
  await told('/internal/session', { email: `${one()}@example.com`, password: [one()] })
  await told('/internal/session', `{"password":"${one()}"`)
  await told(`/internal/session?password=${one()}`, { email, password: one() })
  await told('/internal/signup', { email, password: one(), name: 'A', workspace_name: 'B' })
  await told('/internal/password-resets/accept', { token: one(), password: one() })
  await told('/internal/password-resets/accept', { token: one(), password: 'short' })
  await told('/internal/invitations/lookup', { token: one() })
  await told('/internal/invitations/accept', { token: one(), password: one() })
  await told('/internal/setup', { password: one(), current_password: one() }, { cookie })
  await send(undefined, {
    method: 'PATCH',
    url: '/internal/account',
    body: { password: one(), current_password: one() },
    headers: { ...headers, cookie },
  })
  return { secrets, replies, cookie }
}
