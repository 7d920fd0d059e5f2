import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const installation = await newInstallation()
const { env, url } = installation
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const [acme_id = '', ada = '', key = ''] = [acme.workspace_id, acme.user_id, acme.api_key]
const workspace = ['--workspace', acme_id]
const server = await spawnServer(env)
assert.ok(server.serves, server.stderr())
after(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  installation.remove()
})

/** Runs a command that must fail, and returns its error. */
async function errorOf(...words: string[]): Promise<{ code: string; message: string }> {
  const { code, stdout, stderr } = await runHostedCli(env, ...words, '--json')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  return JSON.parse(stderr).error
}
const errorCodeOf = async (...words: string[]) => (await errorOf(...words)).code

/** Calls the API of the running server. */
async function api(as: string, path: string, body?: object) {
  const reply = await fetch(`${url}/api/v1${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) },
  })
  return { status: reply.status, body: await reply.json() }
}

/** The newest entries of the audit log, the latest first. */
async function auditEntries(limit: number): Promise<string[][]> {
  const list = ['audit', 'list', ...workspace, '--limit', `${limit}`]
  const { data } = await runHostedCliJson<{
    data: Record<'action' | 'actor_type' | 'subject_id', string>[]
  }>(env, ...list)
  return data.map(({ action, actor_type, subject_id }) => [action, actor_type, subject_id])
}

const addMember = (name: string, ...more: string[]) => {
  const person = ['--email', `${name}@example.com`, '--name', name, '--role', 'member']
  return runHostedCliJson(env, 'member', 'add', ...workspace, ...person, ...more)
}

test('member remove reassigns the tasks of the member to --tasks-to', async () => {
  const { id: bo = '' } = await addMember('bo')
  const lead_by = ['--name', 'Rockets', '--lead', bo]
  const project = await runHostedCliJson(env, 'project', 'create', ...workspace, ...lead_by)
  const made = ['key', 'create', ...workspace, '--user', bo, '--scopes', 'full']
  const { api_key = '' } = await runHostedCliJson(env, ...made)
  const task = { project_id: project.id, title: 'Lift off', assignee_ids: [bo] }
  const { id } = (await api(key, '/tasks', task)).body
  const assignees = async () => (await api(key, `/tasks/${id}`)).body.assignee_ids
  const lead = async () => (await api(key, `/projects/${project.id}`)).body.lead_id

  const remove = (user: string, to: string) => {
    return ['member', 'remove', '--yes', ...workspace, '--user', user, '--tasks-to', to]
  }
  assert.equal(await errorCodeOf(...remove(bo, bo)), 'validation_failed')
  assert.equal(await errorCodeOf(...remove(bo, 'everybody')), 'validation_failed')
  assert.equal(await errorCodeOf(...remove('usr_none', ada)), 'not_found')
  assert.equal(await errorCodeOf(...remove(ada, bo)), 'last_owner')
  assert.deepEqual([await assignees(), await lead()], [[bo], bo], 'what is refused moves nothing')
  assert.equal((await api(api_key, '/me')).status, 200)

  const removed = await runHostedCliJson(env, ...remove(bo, ada))
  assert.deepEqual([removed.id, removed.status], [bo, 'removed'])
  assert.deepEqual([await assignees(), await lead()], [[ada], ada])
  assert.equal((await api(api_key, '/me')).status, 401)
  assert.deepEqual((await auditEntries(1))[0], ['member.removed', 'system', bo])
})

test('workspace delete needs the name, and workspace restore undoes it', async () => {
  const remove = (id: string, name: string) => {
    return ['workspace', 'delete', '--workspace', id, '--name', name]
  }
  const restore = ['workspace', 'restore', ...workspace]
  assert.equal(await errorCodeOf(...remove('wsp_none', 'Acme')), 'not_found')
  assert.equal(await errorCodeOf(...remove(acme_id, 'acme')), 'validation_failed')
  assert.equal(await errorCodeOf(...restore), 'not_found')
  assert.equal((await api(key, '/me')).status, 200)

  const gone = await runHostedCliJson(env, ...remove(acme_id, 'Acme'))
  assert.deepEqual([gone.id, gone.name], [acme_id, 'Acme'])
  const days = Date.parse(gone.erased_at ?? '') - Date.parse(gone.deleted_at ?? '')
  assert.equal(days, 30 * 24 * 60 * 60 * 1000)
  // When the command returns, every server rejects the credentials of the workspace.
  assert.equal((await api(key, '/me')).status, 401)
  assert.equal(await errorCodeOf(...remove(acme_id, 'Acme')), 'workspace_deleted')

  assert.deepEqual(await runHostedCliJson<object>(env, ...restore), { id: acme_id, restored: true })
  assert.equal((await api(key, '/me')).status, 200)
  assert.equal(await errorCodeOf(...restore), 'not_found')
  assert.deepEqual(await auditEntries(2), [
    ['workspace.restored', 'system', acme_id],
    ['workspace.closed', 'system', acme_id],
  ])
})

test('user erase needs email and id, and rejects the last owner', async () => {
  const { id: cy = '' } = await addMember('cy')
  const erase = (email: string, id: string) => {
    return ['user', 'erase', '--email', email, '--confirm', id]
  }
  assert.equal(await errorCodeOf(...erase('nobody@example.com', cy)), 'not_found')
  const unconfirmed = await errorOf(...erase('cy@example.com', ada))
  assert.equal(unconfirmed.code, 'validation_failed')
  assert.match(unconfirmed.message, new RegExp(cy))
  assert.equal(await errorCodeOf(...erase('ada@example.com', ada)), 'last_owner')
  const names = async () => {
    const members = await api(key, '/workspace/members?status=all')
    return new Map(members.body.data.map((one: Record<string, string>) => [one.id, one.name]))
  }
  assert.deepEqual([(await names()).get(cy), (await names()).get(ada)], ['cy', 'Ada Lovelace'])

  const erased = await runHostedCliJson<object>(env, ...erase('CY@example.com ', cy))
  assert.deepEqual(erased, { user_id: cy, erased: true })
  assert.equal((await names()).get(cy), 'Removed person')
  assert.equal(await errorCodeOf(...erase('cy@example.com', cy)), 'not_found')
  assert.deepEqual((await auditEntries(1))[0], ['member.removed', 'system', cy])
  const listInstallation = ['audit', 'list', '--workspace', 'installation', '--limit', '1']
  const { data } = await runHostedCliJson<{ data: Record<string, string>[] }>(
    env,
    ...listInstallation,
  )
  assert.deepEqual([data[0]?.action, data[0]?.subject_id], ['person.erased', cy])
})
