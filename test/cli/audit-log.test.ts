import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createTempDir } from '../support/system/temp-dir.ts'
import { newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation()
after(installation.remove)
const { env } = installation

const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const workspace = acme.workspace_id ?? ''

interface ListedAuditEntry {
  sequence: number
  action: string
  actor_type: string
  subject_id: string
  details: Record<string, unknown>
}

test('commands are recorded in the audit log with the actor system', async () => {
  const user = acme.user_id ?? ''
  const made = ['key', 'create', '--workspace', workspace, '--user', user, '--scopes', 'read_only']
  const key = await runHostedCliJson(env, ...made)
  await runHostedCliJson(env, 'key', 'revoke', '--yes', '--key', key.id ?? '')
  await runHostedCliJson(env, 'user', 'reset-password', '--yes', '--email', 'ada@example.com')
  await runHostedCliJson(env, 'webhook', 'pause')
  await runHostedCliJson(env, 'webhook', 'resume', '--yes')
  await runHostedCliJson(env, 'backup', '--to', join(createTempDir(), 'backup'))
  const { data } = await runHostedCliJson<{ data: ListedAuditEntry[] }>(
    env,
    'audit',
    'list',
    '--workspace',
    workspace,
  )
  assert.deepEqual(
    data.map(({ sequence, action, actor_type }) => [sequence, action, actor_type]),
    [
      [5, 'api_key.revoked', 'system'],
      [4, 'api_key.created', 'system'],
      [3, 'api_key.created', 'system'],
      [2, 'member.added', 'system'],
      [1, 'workspace.created', 'system'],
    ],
  )
  assert.deepEqual([data[0]?.subject_id, data[0]?.details], [key.id, { user_id: user }])
  const older = ['audit', 'list', '--workspace', workspace, '--before', '4', '--limit', '2']
  const page = await runHostedCliJson<{ data: ListedAuditEntry[] }>(env, ...older)
  assert.deepEqual(
    page.data.map(({ sequence }) => sequence),
    [3, 2],
  )
  const installationLog = await runHostedCliJson<{ data: ListedAuditEntry[] }>(env, 'audit', 'list')
  assert.deepEqual(
    installationLog.data.map(({ action }) => action),
    ['backup.started', 'sending.resumed', 'sending.paused', 'password.changed'],
  )
  const none = await runHostedCli(env, 'audit', 'list', '--workspace', 'wsp_none')
  assert.deepEqual([none.code, JSON.parse(none.stderr).error.code], [1, 'not_found'])
})

test('with DOCKET_AUDIT_LOG=1 a server writes each audit entry to its log, at any level', async (t) => {
  for (const DOCKET_LOG_ADDRESSES of ['1', '0']) {
    const quiet = { DOCKET_LOG_LEVEL: 'silent', DOCKET_LOG_ADDRESSES }
    const { env, url, remove } = await newInstallation({ DOCKET_AUDIT_LOG: '1', ...quiet })
    t.after(remove)
    const { child, ended, serves } = await spawnServer(env)
    assert.ok(serves)
    const account = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }
    const signedUp = await fetch(`${url}/internal/signup`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ ...account, workspace_name: 'Acme' }),
    })
    assert.equal(signedUp.status, 201)
    child.kill('SIGTERM')
    const lines = (await ended).stderr.trim().split('\n')
    const logged = lines.map((line) => JSON.parse(line).audit)
    const [{ workspace_id }] = logged
    const stored = await runHostedCliJson<{ data: ListedAuditEntry[] }>(
      env,
      'audit',
      'list',
      '--workspace',
      workspace_id,
    )
    const { details, ...entry } = stored.data[0] ?? assert.fail()
    const { address, ...others } = details
    assert.equal(address, '127.0.0.1')
    const shown = DOCKET_LOG_ADDRESSES === '1' ? details : others
    assert.deepEqual(logged.at(-1), { workspace_id, ...entry, details: shown })
    assert.deepEqual(
      logged.map(({ sequence, action }) => [sequence, action]),
      stored.data.toReversed().map(({ sequence, action }) => [sequence, action]),
    )
  }
})
