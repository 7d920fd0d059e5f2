import assert from 'node:assert/strict'
import { parseConfig } from '#config/config.ts'
import type { Role } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createApp as appOn } from '#server/app.ts'
import { SCOPES } from '#wire/scopes.ts'
import { testLog } from '../engines/test-docket.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { createTestWorkspace, type TestWorkspace } from '../world/test-workspace.ts'
import {
  createOAuthClient,
  createTestApplication,
  type TestApplication,
  type TokenReply,
} from './oauth-client.ts'

/** The base URL of all servers on a store, whatever their port, because it is the token issuer. */
export const TEST_ISSUER = 'http://127.0.0.1:4000'

/** A public OAuth client that talks to server processes over HTTP. */
export function createServerOAuthClient(app: TestApplication) {
  async function post(port: number, path: string, form: Record<string, string>) {
    const body = new URLSearchParams({ client_id: app.id, ...form })
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })
    const text = await reply.text()
    const parsed = (text === '' ? {} : JSON.parse(text)) as Partial<TokenReply> & { error?: string }
    return { status: reply.status, text, ...parsed }
  }
  return {
    post,
    refresh: (port: number, refresh_token = '') =>
      post(port, '/oauth/token', { grant_type: 'refresh_token', refresh_token }),
    exchange: (port: number, { code, verifier }: { code: string; verifier: string }) =>
      post(port, '/oauth/token', {
        grant_type: 'authorization_code',
        redirect_uri: app.redirect_uri,
        code,
        code_verifier: verifier,
      }),
  }
}

/** Sends a request with an access token; returns the status, followed by the error code if any. */
export async function requestOutcome(
  port: number,
  token: string | undefined,
  path = '/api/v1/me',
): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const text = await reply.text()
  return reply.ok ? `${reply.status}` : `${reply.status} ${JSON.parse(text).error.code}`
}

/** A workspace in a store without a server, with an application that a person has authorized. */
export interface AuthorizedApplication {
  team: TestWorkspace
  app: TestApplication
  tokens: TokenReply[]
}

/** Creates one, authorized `count` times. */
export async function seedAuthorizedApplication(
  dataDir: string,
  count: number,
  { role = 'member', env = {} }: { role?: Role; env?: Record<string, string> } = {},
): Promise<AuthorizedApplication> {
  const config = parseConfig({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_BASE_URL: TEST_ISSUER,
    ...env,
  })
  const { storage, secret } = await openStore(config)
  const { server } = await appOn(storage, config, secret, testLog)
  const team = await createTestWorkspace(storage)
  const docket = { engine: 'sqlite' as const, storage, server, config }
  const app = await createTestApplication(docket, team)
  const { tokensFor } = createOAuthClient(docket, team, app)
  const tokens: TokenReply[] = []
  const scope = SCOPES.join(' ')
  for (let at = 0; at < count; at += 1) tokens.push(await tokensFor(role, { scope }))
  await server.close()
  await storage.close()
  assert.equal(new Set(tokens.map((one) => one.refresh_token)).size, count)
  return { team, app, tokens }
}
