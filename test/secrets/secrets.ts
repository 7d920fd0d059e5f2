import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type ApiCall, type ApiReply, callApi } from '../support/api/call-api.ts'

/** Searches places for secrets. Returns the start of each secret that it finds, and the place. */
export function findSecrets(
  places: Readonly<Record<string, string | Buffer>>,
  secrets: readonly string[],
): string[] {
  return Object.entries(places).flatMap(([place, content]) => {
    const bytes = Buffer.from(content)
    const found = secrets.filter((secret) => bytes.includes(secret))
    return found.map((secret) => `${secret.slice(0, 12)}… in ${place}`)
  })
}

/** Reads all files below a directory. */
export function readFilesBelow(directory: string): Record<string, Buffer> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => statSync(join(directory, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name))]))
}

/** Sends a request, over a socket or injected. */
export type SendWithKey = (key: string | undefined, asking: ApiCall) => Promise<ApiReply>

export const injectCalls =
  (server: FastifyInstance): SendWithKey =>
  (key, asking) =>
    callApi(server, key, asking)

export const fetchCalls =
  (origin: string): SendWithKey =>
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
 * Sends secrets in every place where people put them, right or wrong. Returns all secrets,
 * including those that the server has generated, and the replies that must contain none of them.
 */
export async function sendSecrets(send: SendWithKey, key: string, mark: string) {
  let count = 0
  const nextCanary = () => {
    count += 1
    return `CANARY-${mark}-${count}`
  }
  const secrets = [key]
  const replies: Record<string, string> = {}
  const sendAndKeepReply = async (as: string | undefined, asking: ApiCall) => {
    const { text, headers } = await send(as, asking)
    replies[`reply ${Object.keys(replies).length} to ${asking.method}`] =
      text + JSON.stringify(headers)
  }
  const newSecret = () => {
    const value = nextCanary()
    secrets.push(value)
    return value
  }
  const me = { method: 'GET', url: '/api/v1/me' }
  await sendAndKeepReply(newSecret(), me)
  await sendAndKeepReply(`dkt_${newSecret()}`, me)
  await sendAndKeepReply(undefined, { ...me, headers: { authorization: `Basic ${newSecret()}` } })
  await sendAndKeepReply(undefined, { ...me, headers: { authorization: newSecret() } })
  await sendAndKeepReply(undefined, { ...me, headers: { cookie: `docket_session=${newSecret()}` } })
  await sendAndKeepReply(key, { ...me, headers: { cookie: `docket_session=${newSecret()}` } })
  await sendAndKeepReply(key, {
    ...me,
    headers: { 'x-request-id': newSecret(), 'proxy-authorization': newSecret() },
  })
  await sendAndKeepReply(undefined, { ...me, url: `/api/v1/me?api_key=${key}` })
  await sendAndKeepReply(undefined, { ...me, url: `/oauth/token?code=${newSecret()}` })
  await sendAndKeepReply(undefined, { ...me, url: `/password-reset/${newSecret()}` })

  const webhooks = { method: 'POST', url: '/api/v1/webhooks' }
  const body = { url: 'https://example.com/hook', events: ['*'] }
  const headers = { 'idempotency-key': `key-${mark}` }
  const createWithSecret = async (asking: ApiCall) => {
    const { text } = await send(key, asking)
    const { id, secret: value } = JSON.parse(text) as { id: string; secret: string }
    secrets.push(value)
    return id
  }
  const generatedId = await createWithSecret({ ...webhooks, body, headers })
  await createWithSecret({ ...webhooks, body, headers })
  const chosenId = await createWithSecret({ ...webhooks, body: { ...body, secret: newSecret() } })
  await sendAndKeepReply(key, { method: 'GET', url: '/api/v1/webhooks' })
  await sendAndKeepReply(key, { method: 'GET', url: `/api/v1/webhooks/${chosenId}` })
  const patch = { method: 'PATCH', url: `/api/v1/webhooks/${chosenId}` }
  await sendAndKeepReply(key, { ...patch, body: { secret: newSecret() } })
  await sendAndKeepReply(key, { ...patch, body: { secret: [newSecret()] } })
  await sendAndKeepReply(key, { ...patch, body: { secret: `\u0000${newSecret()}` } })
  await sendAndKeepReply(key, { ...patch, body: `{"secret":"${newSecret()}"` })
  await sendAndKeepReply(key, {
    ...patch,
    body: { secret: newSecret() },
    headers: { 'content-type': newSecret() },
  })
  await sendAndKeepReply(key, {
    ...patch,
    body: { secret: newSecret() },
    headers: { 'if-match': '"1"' },
  })
  await createWithSecret({
    method: 'POST',
    url: `/api/v1/webhooks/${generatedId}/rotate-secret`,
    body: {},
  })
  const dry = { method: 'POST', url: '/api/v1/webhooks?dry_run=true' }
  await sendAndKeepReply(key, { ...dry, body: { ...body, secret: newSecret() } })
  return { secrets: [...new Set(secrets)], replies }
}

/**
 * Does the same for sign-in and account endpoints, with the password of an account. The secrets are
 * the cookies and whatever people type into a wrong field.
 */
export async function sendPasswords(
  send: SendWithKey,
  origin: string,
  email: string,
  password: string,
) {
  const secrets = [password]
  const headers = { origin }
  const post = (url: string, body: unknown, more = {}) =>
    send(undefined, { method: 'POST', url, body, headers: { ...headers, ...more } })
  const newSecret = () => {
    const value = `CANARY-${crypto.randomUUID()}`
    secrets.push(value)
    return value
  }
  const signedIn = await post('/internal/session', { email, password })
  const cookies = signedIn.headers['set-cookie'] ?? ''
  const values = [...cookies.matchAll(/docket_\w+=([^;]+)/g)].map(([, value = '']) => value)
  if (values.length !== 2) throw new Error(`Nobody is signed in: ${signedIn.text}`)
  secrets.push(...values)
  const cookie = `docket_session=${values[0]}`
  const replies: Record<string, string> = {}
  const sendAndKeepReply = async (url: string, body: unknown, more = {}) => {
    const { text, headers } = await post(url, body, more)
    replies[`reply ${Object.keys(replies).length} to ${url}`] = text + JSON.stringify(headers)
  }
  await sendAndKeepReply('/internal/session', { email, password: newSecret() })
  await sendAndKeepReply('/internal/session', { email: newSecret(), password: newSecret() })
  await sendAndKeepReply('/internal/session', {
    email: `${newSecret()}@example.com`,
    password: [newSecret()],
  })
  await sendAndKeepReply('/internal/session', `{"password":"${newSecret()}"`)
  await sendAndKeepReply(`/internal/session?password=${newSecret()}`, {
    email,
    password: newSecret(),
  })
  await sendAndKeepReply('/internal/signup', {
    email,
    password: newSecret(),
    name: 'A',
    workspace_name: 'B',
  })
  await sendAndKeepReply('/internal/password-resets/accept', {
    token: newSecret(),
    password: newSecret(),
  })
  await sendAndKeepReply('/internal/password-resets/accept', {
    token: newSecret(),
    password: 'short',
  })
  await sendAndKeepReply('/internal/invitations/lookup', { token: newSecret() })
  await sendAndKeepReply('/internal/invitations/accept', {
    token: newSecret(),
    password: newSecret(),
  })
  await sendAndKeepReply(
    '/internal/setup',
    { password: newSecret(), current_password: newSecret() },
    { cookie },
  )
  await send(undefined, {
    method: 'PATCH',
    url: '/internal/account',
    body: { password: newSecret(), current_password: newSecret() },
    headers: { ...headers, cookie },
  })
  return { secrets, replies, cookie }
}
