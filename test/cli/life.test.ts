import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answerOf, docket, newPlace, serve } from './run.ts'

const place = await newPlace()
const { env, url } = place
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
const acme = await answerOf(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const [acme_id = '', ada = '', key = ''] = [acme.workspace_id, acme.user_id, acme.api_key]
const workspace = ['--workspace', acme_id]
const server = await serve(env)
assert.ok(server.serves, server.stderr())
after(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  place.remove()
})

/** Runs what must be refused; gives the code of the refusal, and what it says. */
async function refused(...words: string[]): Promise<{ code: string; message: string }> {
  const { code, stdout, stderr } = await docket(env, ...words, '--json')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  return JSON.parse(stderr).error
}
const refusal = async (...words: string[]) => (await refused(...words)).code

/** Asks the server that runs beside. */
async function api(as: string, path: string, body?: object) {
  const reply = await fetch(`${url}/api/v1${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) },
  })
  return { status: reply.status, body: await reply.json() }
}

/** Who did what, as the audit log of a workspace has it, the latest first. */
async function audited(most: number): Promise<string[][]> {
  const list = ['audit', 'list', ...workspace, '--limit', `${most}`]
  const { data } = await answerOf<{
    data: Record<'action' | 'actor_type' | 'subject_id', string>[]
  }>(env, ...list)
  return data.map(({ action, actor_type, subject_id }) => [action, actor_type, subject_id])
}

const added = (name: string, ...more: string[]) => {
  const person = ['--email', `${name}@example.com`, '--name', name, '--role', 'member']
  return answerOf(env, 'member', 'add', ...workspace, ...person, ...more)
}

test('a member is removed, and the work goes to whoever is named', async () => {
  const { id: bo = '' } = await added('bo')
  const lead_by = ['--name', 'Rockets', '--lead', bo]
  const project = await answerOf(env, 'project', 'create', ...workspace, ...lead_by)
  const made = ['key', 'create', ...workspace, '--user', bo, '--scopes', 'full']
  const { api_key = '' } = await answerOf(env, ...made)
  const task = { project_id: project.id, title: 'Lift off', assignee_ids: [bo] }
  const { id } = (await api(key, '/tasks', task)).body
  const assignees = async () => (await api(key, `/tasks/${id}`)).body.assignee_ids
  const lead = async () => (await api(key, `/projects/${project.id}`)).body.lead_id

  const remove = (user: string, to: string) => {
    return ['member', 'remove', ...workspace, '--user', user, '--tasks-to', to]
  }
  assert.equal(await refusal(...remove(bo, bo)), 'validation_failed')
  assert.equal(await refusal(...remove(bo, 'everybody')), 'validation_failed')
  assert.equal(await refusal(...remove('usr_none', ada)), 'not_found')
  assert.equal(await refusal(...remove(ada, bo)), 'last_owner')
  assert.deepEqual([await assignees(), await lead()], [[bo], bo], 'what is refused moves nothing')
  assert.equal((await api(api_key, '/me')).status, 200)

  const removed = await answerOf(env, ...remove(bo, ada))
  assert.deepEqual([removed.id, removed.status], [bo, 'removed'])
  assert.deepEqual([await assignees(), await lead()], [[ada], ada])
  assert.equal((await api(api_key, '/me')).status, 401)
  assert.deepEqual((await audited(1))[0], ['member.removed', 'system', bo])
})

test('a workspace is deleted by its name, and restored', async () => {
  const remove = (id: string, name: string) => {
    return ['workspace', 'delete', '--workspace', id, '--name', name]
  }
  const restore = ['workspace', 'restore', ...workspace]
  assert.equal(await refusal(...remove('wsp_none', 'Acme')), 'not_found')
  assert.equal(await refusal(...remove(acme_id, 'acme')), 'validation_failed')
  assert.equal(await refusal(...restore), 'not_found')
  assert.equal((await api(key, '/me')).status, 200)

  const gone = await answerOf(env, ...remove(acme_id, 'Acme'))
  assert.deepEqual([gone.id, gone.name], [acme_id, 'Acme'])
  const days = Date.parse(gone.erased_at ?? '') - Date.parse(gone.deleted_at ?? '')
  assert.equal(days, 30 * 24 * 60 * 60 * 1000)
  // The command has come back: no server lets anybody in any more.
  assert.equal((await api(key, '/me')).status, 401)
  assert.equal(await refusal(...remove(acme_id, 'Acme')), 'workspace_deleted')

  assert.deepEqual(await answerOf<object>(env, ...restore), { id: acme_id, restored: true })
  assert.equal((await api(key, '/me')).status, 200)
  assert.equal(await refusal(...restore), 'not_found')
  assert.deepEqual(await audited(2), [
    ['workspace.restored', 'system', acme_id],
    ['workspace.closed', 'system', acme_id],
  ])
})

test('a person is erased by the address and the id, but not the last owner', async () => {
  const { id: cy = '' } = await added('cy')
  const erase = (email: string, id: string) => {
    return ['user', 'erase', '--email', email, '--confirm', id]
  }
  assert.equal(await refusal(...erase('nobody@example.com', cy)), 'not_found')
  const unsure = await refused(...erase('cy@example.com', ada))
  assert.equal(unsure.code, 'validation_failed')
  assert.match(unsure.message, new RegExp(cy))
  assert.equal(await refusal(...erase('ada@example.com', ada)), 'last_owner')
  const names = async () => {
    const members = await api(key, '/workspace/members?status=all')
    return new Map(members.body.data.map((one: Record<string, string>) => [one.id, one.name]))
  }
  assert.deepEqual([(await names()).get(cy), (await names()).get(ada)], ['cy', 'Ada Lovelace'])

  const erased = await answerOf<object>(env, ...erase('CY@example.com ', cy))
  assert.deepEqual(erased, { user_id: cy, erased: true })
  assert.equal((await names()).get(cy), 'Removed person')
  assert.equal(await refusal(...erase('cy@example.com', cy)), 'not_found')
  assert.deepEqual((await audited(1))[0], ['member.removed', 'system', cy])
  const installation = ['audit', 'list', '--workspace', 'installation', '--limit', '1']
  const { data } = await answerOf<{ data: Record<string, string>[] }>(env, ...installation)
  assert.deepEqual([data[0]?.action, data[0]?.subject_id], ['person.erased', cy])
})
