import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createApp } from '#server/app.ts'
import { SCOPES } from '#wire/scopes.ts'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { testLog } from '../support/engines/test-docket.ts'
import { createOAuthClient, createTestApplication } from '../support/oauth/oauth-client.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** The base URL of all servers on a store, whatever their port, because it is the token issuer. */
const TEST_ISSUER = 'http://127.0.0.1:4000'

/** Creates a workspace in a store without a server, with an application that a member has authorized. */
async function seedAuthorizedApplication(dataDir: string) {
  const settings = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }
  const config = parseConfig({ ...settings, DOCKET_BASE_URL: TEST_ISSUER })
  const { storage, secret } = await openStore(config)
  const { server } = await createApp(storage, config, secret, testLog)
  const team = await createTestWorkspace(storage)
  const docket = { engine: 'sqlite' as const, storage, server, config }
  const app = await createTestApplication(docket, team)
  const { tokensFor } = createOAuthClient(docket, team, app)
  const { access_token, refresh_token } = await tokensFor('member', { scope: SCOPES.join(' ') })
  await server.close()
  await storage.close()
  return { team, app, access_token, refresh_token }
}

/** Sends a request with an access token; returns the status, followed by the error code if any. */
async function requestOutcome(port: number, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers })
  const text = await reply.text()
  return reply.ok ? `${reply.status}` : `${reply.status} ${JSON.parse(text).error.code}`
}

/** Tries to refresh, and returns the error. */
async function refreshError(port: number, client_id: string, refresh_token: string) {
  const form = { client_id, grant_type: 'refresh_token', refresh_token }
  const reply = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  return ((await reply.json()) as { error?: string }).error
}

test('access that a command ends is invalid in the server when the command returns', async () => {
  const dataDir = createTempDir()
  const one = await seedAuthorizedApplication(dataDir)
  const other = await seedAuthorizedApplication(dataDir)
  const server = await startServer(dataDir, { env: { DOCKET_BASE_URL: TEST_ISSUER } })
  const { port } = server
  for (const { access_token } of [one, other])
    assert.equal(await requestOutcome(port, access_token), '200')
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, DOCKET_DEMO: '0' }
  await runHostedCliJson(env, 'app', 'delete', '--yes', '--app', one.app.id)
  assert.equal(await requestOutcome(port, one.access_token), '401 invalid_token')
  assert.equal(await refreshError(port, one.app.id, one.refresh_token), 'invalid_client')
  assert.equal(await requestOutcome(port, other.access_token), '200')
  const { workspace, people } = other.team
  const membership = ['--workspace', workspace, '--user', people.member]
  await runHostedCliJson(env, 'member', 'remove', '--yes', ...membership)
  assert.equal(await requestOutcome(port, other.access_token), '401 invalid_token')
  assert.equal(await refreshError(port, other.app.id, other.refresh_token), 'invalid_grant')
  assert.equal(await requestOutcome(port, one.team.keys.member), '200')
  assert.equal(await endServer(server, 'SIGTERM'), 0)
})
