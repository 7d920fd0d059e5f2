import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answerOf, docket, newPlace } from './run.ts'

const place = await newPlace()
after(place.remove)
const { env } = place

const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
const acme = await answerOf(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const workspace = ['--workspace', acme.workspace_id ?? '']
const create = ['app', 'create', ...workspace, '--name', 'Reports']

async function refusal(...words: string[]): Promise<{ code: string; message: string }> {
  const { code, stdout, stderr } = await docket(env, ...words, '--json')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  return JSON.parse(stderr).error
}

test('an application is registered, listed and deleted', async () => {
  const web = ['--redirect-uri', 'https://b.example/cb', '--redirect-uri', 'https://a.example/cb']
  const made = await answerOf<Record<string, unknown>>(
    env,
    ...[...create, '--type', 'confidential', ...web, '--scopes', 'tasks:write,tasks:read'],
  )
  assert.partialDeepStrictEqual(made, {
    ...{ client_id: made.id, name: 'Reports', type: 'confidential', distribution: 'private' },
    ...{ description: null, homepage_url: null, created_by_id: acme.user_id },
    redirect_uris: ['https://b.example/cb', 'https://a.example/cb'],
    scopes: ['tasks:read', 'tasks:write'],
  })
  const { client_id, client_secret, ...listed } = made
  assert.match(String(client_secret), /^dcs_[0-9A-Za-z]{38}$/)
  const { data } = await answerOf<{ data: object[] }>(env, 'app', 'list', ...workspace)
  assert.deepEqual(data, [listed])
  const remove = ['app', 'delete', '--app', String(client_id)]
  assert.deepEqual(await answerOf<object>(env, ...remove), { id: client_id, deleted: true })
  assert.equal((await refusal(...remove)).code, 'not_found')
  // The one that came with Docket stays.
  const own = ['app', 'delete', '--app', 'app_00000000000000000000000001']
  assert.equal((await refusal(...own)).code, 'not_found')
})

test('a public application has no secret, and schemes of its own', async () => {
  const native = ['--redirect-uri', 'com.example.app:/cb', '--scopes', 'read_only']
  const words = [...create, ...native, '--distribution', 'public', '--type']
  const made = await answerOf<Record<string, unknown>>(env, ...words, 'public')
  assert.partialDeepStrictEqual(made, { client_secret: null, distribution: 'public' })
  const { code, message } = await refusal(...words, 'confidential')
  assert.equal(code, 'validation_failed')
  assert.match(message, /^redirect-uri\[0\] must be https/)
  const { code: usage } = await docket(env, ...create, '--type', 'public', '--scopes', 'full')
  assert.equal(usage, 2)
})
