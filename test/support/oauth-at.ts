import assert from 'node:assert/strict'
import type { Role } from '#core/actor.ts'
import { openStore } from '#storage/open.ts'
import { SCOPES } from '#wire/scopes.ts'
import { app as appOn } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { log } from './engines.ts'
import { type Home, newHome } from './home.ts'
import { type App, client, newApp, type Tokens } from './oauth.ts'
import { SECRET } from './process.ts'

/** All servers of a store have it, whatever the port: it is the issuer of tokens. */
export const ISSUER = 'http://127.0.0.1:4000'

/** A public client that asks servers in processes of their own. */
export function clientAt(app: App) {
  async function post(port: number, path: string, form: Record<string, string>) {
    const body = new URLSearchParams({ client_id: app.id, ...form })
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
    const text = await reply.text()
    const said = (text === '' ? {} : JSON.parse(text)) as Partial<Tokens> & { error?: string }
    return { status: reply.status, text, ...said }
  }
  return {
    post,
    refresh: (port: number, refresh_token = '') =>
      post(port, '/oauth/token', { grant_type: 'refresh_token', refresh_token }),
    exchange: (port: number, { code, verifier }: { code: string; verifier: string }) =>
      post(port, '/oauth/token', {
        ...{ grant_type: 'authorization_code', redirect_uri: app.redirect_uri },
        ...{ code, code_verifier: verifier },
      }),
  }
}

/** How the API answers a credential, in a word. */
export async function endAt(
  port: number,
  token: string | undefined,
  path = '/api/v1/me',
): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const text = await reply.text()
  return reply.ok ? `${reply.status}` : `${reply.status} ${JSON.parse(text).error.code}`
}

/** A home in a store that no server holds, with what a person has allowed an application there. */
export interface Allowed {
  home: Home
  app: App
  tokens: Tokens[]
}

/** Makes one, with so many authorizations. */
export async function settleAllowed(
  dataDir: string,
  count: number,
  { role = 'member', env = {} }: { role?: Role; env?: Record<string, string> } = {},
): Promise<Allowed> {
  const config = configFrom({
    ...{ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, DOCKET_BASE_URL: ISSUER },
    ...env,
  })
  const { storage, secret } = await openStore(config)
  const { server } = await appOn(storage, config, secret, log)
  const home = await newHome(storage)
  const docket = { engine: 'sqlite' as const, storage, server, config }
  const app = await newApp(docket, home)
  const { tokensFor } = client(docket, home, app)
  const tokens: Tokens[] = []
  const scope = SCOPES.join(' ')
  for (let at = 0; at < count; at += 1) tokens.push(await tokensFor(role, { scope }))
  await server.close()
  await storage.close()
  assert.equal(new Set(tokens.map((one) => one.refresh_token)).size, count)
  return { home, app, tokens }
}
