import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answerOf, docket, newPlace } from './run.ts'

const place = await newPlace()
after(place.remove)
const { env } = place

const OWNER = ['--owner-email', 'Ada@Example.com', '--owner-name', 'Ada Lovelace']
const acme = await answerOf(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const workspace = ['--workspace', acme.workspace_id ?? '']

/** Runs what must be refused; gives the code of the refusal. */
async function refusal(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await docket(env, ...words, '--json')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  const { error } = JSON.parse(stderr)
  assert.deepEqual(Object.keys(error), ['code', 'message'])
  return error.code
}

test('a workspace begins with an owner, a password and a key', async () => {
  assert.deepEqual(Object.keys(acme), [
    ...['workspace_id', 'name', 'plan', 'user_id', 'owner_email', 'owner_password'],
    ...['api_key', 'api_key_id', 'base_url'],
  ])
  assert.match(acme.api_key ?? '', /^dkt_[0-9A-Za-z]{38}$/)
  assert.equal(acme.owner_email, 'ada@example.com')
  assert.equal(acme.owner_password?.length, 20)
  assert.deepEqual([acme.plan, acme.base_url], ['free', place.url])
})

test('an account that is there is used again, and its password stays', async () => {
  const again = await answerOf(env, 'workspace', 'create', '--name', 'Second', ...OWNER)
  assert.equal(again.user_id, acme.user_id)
  assert.equal(again.owner_password, null)
  assert.notEqual(again.workspace_id, acme.workspace_id)
})

test('a plan is set and shown with its limit', async () => {
  const paid = await answerOf(env, 'workspace', 'set-plan', ...workspace, '--plan', 'paid')
  assert.partialDeepStrictEqual(paid, {
    id: acme.workspace_id,
    plan: 'paid',
    timezone: 'UTC',
    requests_per_minute: 5000,
  } as object)
  const plan = ['workspace', 'set-plan', ...workspace, '--plan', 'gold']
  assert.equal(await refusal(...plan), 'validation_failed')
})

test('a project is made, changed, archived and opened to a person', async () => {
  const made = await answerOf(env, 'project', 'create', ...workspace, '--name', 'Rocket science')
  assert.partialDeepStrictEqual(made, { prefix: 'ROC', created_by_id: acme.user_id } as object)
  const project = ['--project', made.id ?? '']
  const changed = await answerOf(
    env,
    ...['project', 'update', ...project, '--prefix', 'RKT', '--visibility', 'private'],
    ...['--archived', 'true'],
  )
  assert.partialDeepStrictEqual(changed, { prefix: 'RKT', status: 'archived' } as object)
  const taken = ['project', 'create', ...workspace, '--name', 'x', '--prefix', 'ROC']
  assert.equal(await refusal(...taken), 'prefix_taken')
  const person = ['project', 'add-person', ...project, '--user', acme.user_id ?? '']
  assert.deepEqual(await answerOf(env, ...person), {
    project_id: made.id,
    user_id: acme.user_id,
  })
  assert.equal(await refusal('project', 'update', '--project', 'prj_none'), 'not_found')
  const stranger = ['project', 'create', ...workspace, '--name', 'x', '--lead', 'usr_none']
  assert.equal(await refusal(...stranger), 'validation_failed')
})

test('a member is added with projects, and removed; the last owner is not', async () => {
  const { id } = await answerOf(env, 'project', 'create', ...workspace, '--name', 'For guests')
  const guest = ['--email', 'bo@example.com', '--name', 'Bo', '--role', 'guest']
  const add = ['member', 'add', ...workspace, ...guest, '--project', id ?? '']
  const added = await answerOf(env, ...add)
  assert.partialDeepStrictEqual(added, { name: 'Bo', role: 'guest', status: 'active' } as object)
  assert.deepEqual([added.user_id, added.password?.length], [added.id, 20])
  assert.equal(await refusal(...add), 'already_member')
  const remove = ['member', 'remove', ...workspace, '--user']
  const removed = await answerOf(env, ...remove, added.id ?? '')
  assert.equal(removed.status, 'removed')
  assert.equal(await refusal(...remove, added.id ?? ''), 'not_found')
  assert.equal(await refusal(...remove, acme.user_id ?? ''), 'last_owner')
})

test('a refused member leaves no account behind', async () => {
  const bad = ['--email', 'eve@example.com', '--name', 'Eve', '--role', 'member']
  const add = ['member', 'add', ...workspace, ...bad, '--project', 'prj_none']
  assert.equal(await refusal(...add), 'not_found')
  assert.equal(await refusal('user', 'reset-password', '--email', 'eve@example.com'), 'not_found')
  assert.equal(await refusal('user', 'sign-in-link', '--email', 'eve@example.com'), 'not_found')
  const cleared = ['user', 'clear-second-factor', '--email', 'ada@example.com']
  assert.deepEqual(await answerOf(env, ...cleared), { user_id: acme.user_id, was_enabled: false })
})

test('a key is made with a preset or scopes, listed and revoked', async () => {
  const create = ['key', 'create', ...workspace, '--user', acme.user_id ?? '', '--scopes']
  const key = await answerOf<{ id: string; api_key: string; scopes: string[] }>(
    env,
    ...[...create, 'tasks:write,tasks:read', '--expires-at', '2099-01-01T00:00:00+01:00'],
  )
  assert.partialDeepStrictEqual(key, {
    name: 'cli',
    scopes: ['tasks:read', 'tasks:write'],
    expires_at: '2098-12-31T23:00:00.000Z',
  } as object)
  const { data } = await answerOf<{ data: object[] }>(env, 'key', 'list', ...workspace)
  const { api_key, ...listed } = key
  assert.match(api_key, /^dkt_/)
  assert.deepEqual(data.at(-1), listed)
  assert.deepEqual(await answerOf(env, 'key', 'revoke', '--key', key.id), {
    id: key.id,
    revoked: true,
  })
  assert.equal(await refusal('key', 'revoke', '--key', key.id), 'not_found')
  assert.equal(await refusal(...create, 'tasks:burn'), 'validation_failed')
  const past = [...create, 'full', '--expires-at', '2020-01-01T00:00:00Z']
  assert.equal(await refusal(...past), 'validation_failed')
})

test('a password is made anew or given, if it is good enough', async () => {
  const reset = ['user', 'reset-password', '--email', ' ADA@example.com ']
  const made = await answerOf(env, ...reset)
  assert.deepEqual([made.user_id, made.password?.length], [acme.user_id, 20])
  const given = await answerOf(env, ...reset, '--password', 'correct horse battery')
  assert.equal(given.password, 'correct horse battery')
  assert.equal(await refusal(...reset, '--password', 'password123'), 'validation_failed')
})

test('wrong usage is told with the usage, and is no refusal', async () => {
  const wrong = [
    ['workspace', 'make'],
    ['workspace', 'create', '--name', 'x'],
    ['key', 'list', ...workspace, '--all', 'x'],
    ['key', 'list', ...workspace, ...workspace],
    ['key', 'list', '--workspace'],
    ['key', 'list', ...workspace, 'more'],
    [],
  ]
  for (const words of wrong) {
    const { code, stdout, stderr } = await docket(env, ...words)
    assert.equal(code, 2, words.join(' '))
    assert.match(stdout + stderr, /Usage: npm run --silent docket --/)
  }
  const { code, stdout } = await docket(env, 'key', 'create', '--help')
  assert.equal(code, 0)
  assert.match(stdout, /--scopes <scopes> +full, read_only/)
})

test('wrong settings are told all at once', async () => {
  const wrong = {
    ...{ ...env, DOCKET_PORT: 'x', DOCKET_TRASH_DAYS: '0', DOCKET_MAX_ATTACHMENT_BYTES: '0' },
    ...{ DOCKET_S3_ENDPOINT: 'https://s3.example.com/bucket', DOCKET_S3_BUCKET: 'docket' },
    ...{ DOCKET_SIGNUP: 'everybody', DOCKET_SMTP_URL: 'http://me:hunter2@mail.example.com' },
  }
  const { code, stderr } = await docket(wrong, 'key', 'list', ...workspace)
  assert.equal(code, 78)
  assert.deepEqual(
    stderr
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0])
      .toSorted(),
    [
      'DOCKET_PORT',
      ...['REGION', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'ENDPOINT'].map((name) => {
        return `DOCKET_S3_${name}`
      }),
      ...['DOCKET_MAX_ATTACHMENT_BYTES', 'DOCKET_TRASH_DAYS'],
      ...['DOCKET_SIGNUP', 'DOCKET_SMTP_URL', 'DOCKET_MAIL_FROM'],
    ].toSorted(),
  )
  assert.doesNotMatch(stderr, /hunter2/)
})

test('a database is migrated once', async () => {
  const fresh = await newPlace()
  const first = await answerOf<{ from: number; to: number; applied: string[] }>(
    fresh.env,
    'migrate',
  )
  assert.deepEqual([first.from, first.applied.length], [0, first.to])
  assert.deepEqual(await answerOf<object>(fresh.env, 'migrate'), {
    engine: 'sqlite',
    from: first.to,
    to: first.to,
    applied: [],
  })
  fresh.remove()
})

test('without --json a person can read it', async () => {
  const { stdout } = await docket(env, 'key', 'list', ...workspace)
  assert.match(stdout, /^id +name +user_id/)
})
