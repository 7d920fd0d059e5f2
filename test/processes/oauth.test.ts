import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import {
  createServerOAuthClient,
  requestOutcome,
  seedAuthorizedApplication,
  TEST_ISSUER,
} from '../support/oauth/server-oauth-client.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'

test('access that a command ends is invalid in the server when the command returns', async () => {
  const dataDir = createTempDir()
  const { team, app, tokens } = await seedAuthorizedApplication(dataDir, 1)
  const other = await seedAuthorizedApplication(dataDir, 1)
  const server = await startServer(dataDir, { env: { DOCKET_BASE_URL: TEST_ISSUER } })
  const { port } = server
  const access = [tokens[0]?.access_token, other.tokens[0]?.access_token]
  for (const token of access) assert.equal(await requestOutcome(port, token), '200')
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, DOCKET_DEMO: '0' }
  await runHostedCliJson(env, 'app', 'delete', '--yes', '--app', app.id)
  assert.equal(await requestOutcome(port, access[0]), '401 invalid_token')
  assert.equal(
    (await createServerOAuthClient(app).refresh(port, tokens[0]?.refresh_token)).error,
    'invalid_client',
  )
  assert.equal(await requestOutcome(port, access[1]), '200')
  const { workspace, people } = other.team
  await runHostedCliJson(
    env,
    'member',
    'remove',
    '--yes',
    '--workspace',
    workspace,
    '--user',
    people.member,
  )
  assert.equal(await requestOutcome(port, access[1]), '401 invalid_token')
  const refused = await createServerOAuthClient(other.app).refresh(
    port,
    other.tokens[0]?.refresh_token,
  )
  assert.equal(refused.error, 'invalid_grant')
  assert.equal(await requestOutcome(port, team.keys.member), '200')
  assert.equal(await endServer(server, 'SIGTERM'), 0)
})
