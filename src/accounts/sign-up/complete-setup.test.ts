import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { createDemoWorkspace } from '#demo/create-demo-workspace.ts'
import { createDemoCredentials } from '#demo/first-start.ts'
import { openFiles } from '#files/open.ts'
import { deletePendingFiles, purgeAbandonedWorkspaces } from '#jobs/purges.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, type TestDocket } from '#test/support/engines/test-docket.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { TEST_PASSWORD } from '#test/support/world/test-password.ts'

const ADA = {
  name: 'Ada',
  email: 'ada@example.com',
  password: TEST_PASSWORD,
  timezone: 'Europe/London',
}

async function createDemo({ storage, server }: TestDocket) {
  await createDemoWorkspace(storage, { plan: 'free', timezone: 'UTC' })
  const printed = (await createDemoCredentials(storage)) ?? assert.fail()
  const { email, password, api_key } = printed
  const owner = createCookieClient(server)
  const entered = await owner.send('POST /internal/session', { email, password })
  assert.equal(entered.status, 201)
  const workspace = (entered.body.workspace as { id: string }).id
  const signIn = (body: object) => createCookieClient(server).send('POST /internal/session', body)
  const byKey = async (url: string, more = {}) =>
    server.inject({ url, headers: { authorization: `Bearer ${api_key}` }, ...more })
  return { owner, workspace, printed: { email, password }, signIn, byKey }
}

for (const engine of ENGINES) {
  test(`claiming the demo without its data deletes it and creates an empty workspace (${engine})`, async () => {
    const served = await openFreshDocket(engine)
    const { storage, config } = served
    const { owner, workspace, byKey } = await createDemo(served)
    const [task] = (await byKey('/api/v1/tasks')).json().data
    const url = `/api/v1/tasks/${task.id}/attachments?filename=a.txt`
    const file = await byKey(url, { method: 'POST', payload: Buffer.from('A') })
    assert.equal(file.statusCode, 201, file.body)
    const wanted = { ...ADA, demo: 'remove', workspace_name: 'Mine' }
    const set = await owner.send('POST /internal/setup', wanted)
    assert.equal(set.status, 200)
    const { workspaces, workspace: at } = set.body as {
      workspaces: unknown[]
      workspace: { id: string; name: string }
    }
    assert.deepEqual([at.name, workspaces.length], ['Mine', 1])
    assert.notEqual(at.id, workspace)
    assert.equal((await byKey('/api/v1/me')).statusCode, 401)
    assert.equal(describeReply(await owner.send(`GET /api/v1/tasks/${task.id}`)), '404 not_found')
    const projects = await owner.send('GET /api/v1/projects')
    assert.deepEqual(projects.body.data, [])

    const files = openFiles(config)
    // Password reset links of accounts without a password must not prevent their deletion.
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(insertResets, { at: '2099-01-01T00:00:00.000Z' }),
    )
    const [purge, doomed] = [
      purgeAbandonedWorkspaces(storage, files),
      deletePendingFiles(storage, files),
    ]
    for (let round = 0; round < 3; round += 1) {
      while (await purge());
      await doomed()
    }
    assert.deepEqual(await listRemains(served, workspace), [])
    assert.equal(await purge(), false)
    await files.close()
    assert.equal(describeReply(await owner.send('GET /internal/session')), '200')
  })
}

test('a user claims the demo once and keeps its workspace', async () => {
  const served = await openFreshDocket('sqlite')
  const { owner, workspace, printed, signIn, byKey } = await createDemo(served)
  const state = async () => (await owner.send('GET /internal/setup')).body
  assert.deepEqual(await state(), {
    signup: 'invite',
    initialized: false,
    company: null,
    password: true,
    passkeys: false,
    setup_token: false,
  })
  const setUp = (body: object) => owner.send('POST /internal/setup', body)
  assert.equal(describeReply(await setUp({ demo: 'keep' })), '422 validation_failed')
  assert.equal(describeReply(await setUp({ ...ADA, demo: 'remove' })), '422 validation_failed')
  const named = { ...ADA, demo: 'keep', workspace_name: 'Mine' }
  assert.equal(describeReply(await setUp(named)), '422 validation_failed')
  const before = owner.jar.get('docket_session')
  const taken = { ...ADA, email: 'jonas@demo.example', demo: 'keep' }
  assert.equal(describeReply(await setUp(taken)), '409 email_taken')
  assert.equal(describeReply(await setUp({ ...ADA, demo: 'keep' })), '200')
  assert.notEqual(owner.jar.get('docket_session'), before)
  const { user, workspace: at } = (await owner.send('GET /internal/session')).body
  assert.deepEqual(
    [(user as typeof ADA).name, (user as typeof ADA).timezone],
    ['Ada', 'Europe/London'],
  )
  assert.equal((at as { id: string }).id, workspace)
  assert.deepEqual(await state(), {
    signup: 'invite',
    initialized: true,
    company: null,
    password: true,
    passkeys: false,
    setup_token: false,
  })
  assert.equal(describeReply(await setUp({ ...ADA, demo: 'keep' })), '404 not_found')
  assert.equal(describeReply(await setUp({})), '404 not_found')
  assert.equal(describeReply(await signIn(printed)), '401 invalid_credentials')
  assert.equal(describeReply(await signIn({ email: ADA.email, password: TEST_PASSWORD })), '201')
  assert.equal((await byKey('/api/v1/me')).statusCode, 200)
})

const insertResets = unscopedCommand((db, $: { at: string }) =>
  db
    .insertInto('password_resets')
    .columns(['hash', 'user_id', 'created_at', 'expires_at'])
    .expression((is) =>
      is
        .selectFrom('users')
        .select((user) => {
          const at = user.cast<string>(user.val($.at), 'text')
          return ['email as hash', 'id', at.as('created_at'), at.as('expires_at')]
        })
        .where('password_hash', 'is', null),
    ),
)
const accounts = unscopedQuery((db) => db.selectFrom('users').select('email'))
const workspaces = unscopedQuery((db) => db.selectFrom('workspaces').select('id'))

/** Lists what is left of a workspace and its demo users. */
async function listRemains({ storage }: TestDocket, workspace: string): Promise<string[]> {
  return storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const people = (await tx.all(accounts, {})).map(({ email }) => email)
    const places = (await tx.all(workspaces, {})).map(({ id }) => id)
    return [...people, ...places].filter(
      (one) => one.endsWith('@demo.example') || one === workspace,
    )
  })
}
