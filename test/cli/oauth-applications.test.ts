import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newInstallation } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation()
after(installation.remove)
const { env } = installation

const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const workspace = ['--workspace', acme.workspace_id ?? '']
const create = ['app', 'create', ...workspace, '--name', 'Reports']

async function errorOf(...words: string[]): Promise<{ code: string; message: string }> {
  const { code, stdout, stderr } = await runHostedCli(env, ...words, '--json')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  return JSON.parse(stderr).error
}

test('app create, list and delete manage OAuth applications', async () => {
  const web = ['--redirect-uri', 'https://b.example/cb', '--redirect-uri', 'https://a.example/cb']
  const created = await runHostedCliJson<Record<string, unknown>>(
    env,
    ...create,
    '--type',
    'confidential',
    ...web,
    '--scopes',
    'tasks:write,tasks:read',
  )
  assert.partialDeepStrictEqual(created, {
    client_id: created.id,
    name: 'Reports',
    type: 'confidential',
    distribution: 'private',
    description: null,
    homepage_url: null,
    created_by_id: acme.user_id,
    redirect_uris: ['https://b.example/cb', 'https://a.example/cb'],
    scopes: ['tasks:read', 'tasks:write'],
  })
  const { client_id, client_secret, ...listed } = created
  assert.match(String(client_secret), /^dcs_[0-9A-Za-z]{38}$/)
  const { data } = await runHostedCliJson<{ data: object[] }>(env, 'app', 'list', ...workspace)
  assert.deepEqual(data, [listed])
  const remove = ['app', 'delete', '--yes', '--app', String(client_id)]
  assert.deepEqual(await runHostedCliJson<object>(env, ...remove), { id: client_id, deleted: true })
  assert.equal((await errorOf(...remove)).code, 'not_found')
  // The built-in application of the command line cannot be deleted.
  const own = ['app', 'delete', '--yes', '--app', 'app_00000000000000000000000001']
  assert.equal((await errorOf(...own)).code, 'not_found')
})

test('a public application has no secret and may use a custom URI scheme', async () => {
  const native = ['--redirect-uri', 'com.example.app:/cb', '--scopes', 'read_only']
  const words = [...create, ...native, '--distribution', 'public', '--type']
  const created = await runHostedCliJson<Record<string, unknown>>(env, ...words, 'public')
  assert.partialDeepStrictEqual(created, { client_secret: null, distribution: 'public' })
  const misleading = ['app', 'create', ...workspace, '--name', 'Docket \u202eppa', ...native]
  const { code, message } = await errorOf(...misleading, '--type', 'confidential')
  assert.equal(code, 'validation_failed')
  assert.match(
    message,
    /^`name` must not contain characters that change the direction.*\. `redirect-uri\[0\]` must be https/,
  )
  const { code: usageExitCode } = await runHostedCli(
    env,
    ...create,
    '--type',
    'public',
    '--scopes',
    'full',
  )
  assert.equal(usageExitCode, 2)
})
