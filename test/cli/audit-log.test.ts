import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { createTempDir } from '../support/system/temp-dir.ts'
import { newInstallation } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation()
after(installation.remove)
const { env } = installation

const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const chain = acme.workspace_id ?? ''

interface ListedAuditEntry {
  sequence: number
  action: string
  actor_type: string
  subject_id: string
  details: object
}

/** Runs `audit verify`, which prints a line for each chain and a last one for all. */
async function verifyAudit(...words: string[]) {
  const { code, stdout, stderr } = await runHostedCli(env, 'audit', 'verify', ...words, '--json')
  const lines = stdout.trim().split('\n')
  assert.equal(stderr, '')
  return { code, lines: lines.map((line) => JSON.parse(line)) }
}

function tamper(sql: string): void {
  const db = new DatabaseSync(join(installation.dataDir, 'docket.db'))
  db.exec(sql)
  db.close()
}

test('commands are recorded in the audit log with the actor system', async () => {
  const user = acme.user_id ?? ''
  const made = ['key', 'create', '--workspace', chain, '--user', user, '--scopes', 'read_only']
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
    chain,
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
  const older = ['audit', 'list', '--workspace', chain, '--before', '4', '--limit', '2']
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
  for (const command of ['list', 'verify']) {
    const none = await runHostedCli(env, 'audit', command, '--workspace', 'wsp_none')
    assert.deepEqual([none.code, JSON.parse(none.stderr).error.code], [1, 'not_found'])
  }
})

test('audit verify prints the heads of intact chains, and --head compares them', async () => {
  const { code, lines } = await verifyAudit()
  assert.equal(code, 0)
  assert.deepEqual(
    lines.map(({ chain }) => chain),
    ['installation', chain, undefined],
  )
  assert.deepEqual(lines.at(-1), { verified: true, chains: 2, entries: 9, faults: 0 })
  const { head } = lines[1]
  assert.match(head, new RegExp(`^${chain}:5:[0-9a-f]{64}$`))
  const same = await verifyAudit('--workspace', chain, '--head', head)
  assert.deepEqual([same.code, same.lines.length], [0, 2])
  const other = `${head.slice(0, -1)}${head.endsWith('0') ? '1' : '0'}`
  const wrong = await verifyAudit('--head', head, '--head', other)
  assert.equal(wrong.code, 1)
  assert.equal(wrong.lines[1].fault.fault, 'rewritten')
  const gone = await verifyAudit('--head', head.replace(chain, `wsp_${'0'.repeat(26)}`))
  assert.equal(gone.code, 1)
  assert.partialDeepStrictEqual(gone.lines[2], { entries: 0, fault: { fault: 'cut', sequence: 1 } })
  const malformed = await runHostedCli(env, 'audit', 'verify', '--head', '12:abc')
  assert.deepEqual(
    [malformed.code, JSON.parse(malformed.stderr).error.code],
    [1, 'validation_failed'],
  )
})

test('audit verify names the first wrong entry and exits with 1', async () => {
  tamper(
    `update audit_entries set actor_id = 'usr_x' where workspace_id = '${chain}' and sequence = 3`,
  )
  const { code, lines } = await verifyAudit('--workspace', chain)
  assert.equal(code, 1)
  assert.deepEqual([lines[0].fault.fault, lines[0].fault.sequence], ['changed', 3])
  assert.deepEqual(lines.at(-1), { verified: false, chains: 1, entries: 3, faults: 1 })
  const asText = await runHostedCli(env, 'audit', 'verify')
  assert.equal(asText.code, 1)
  assert.match(asText.stdout, new RegExp(`^${chain}: Entry 3 was changed`, 'm'))
  assert.match(asText.stdout, /^installation:4:[0-9a-f]{64}$/m)
  tamper('delete from audit_heads')
  assert.deepEqual((await verifyAudit()).lines.at(-1), {
    verified: false,
    chains: 2,
    entries: 0,
    faults: 2,
  })
})
