import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { makeDemo } from '#demo/make.ts'
import { openFiles } from '#files/open.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'
import { PASSWORD } from '#test/support/account.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { ENGINES, type Served } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { purgeAbandoned } from '#upkeep/abandoned.ts'
import { removeDoomed } from '#upkeep/files.ts'

const ADA = { name: 'Ada', email: 'ada@example.com', password: PASSWORD, timezone: 'Europe/London' }

async function demoOn({ storage, server }: Served) {
  const printed = await makeDemo(storage, { plan: 'free', timezone: 'UTC' })
  const { email, password, api_key } = printed
  const owner = browser(server)
  const entered = await owner.send('POST /internal/session', { email, password })
  assert.equal(entered.status, 201)
  const workspace = (entered.body.workspace as { id: string }).id
  const signIn = (body: object) => browser(server).send('POST /internal/session', body)
  const byKey = async (url: string, more = {}) =>
    server.inject({ url, headers: { authorization: `Bearer ${api_key}` }, ...more })
  return { owner, workspace, printed: { email, password }, signIn, byKey }
}

for (const engine of ENGINES) {
  test(`the demo becomes somebody's own, once, and is kept (${engine})`, async () => {
    const served = await freshDocket(engine)
    const { owner, workspace, printed, signIn, byKey } = await demoOn(served)
    const state = async () => (await owner.send('GET /internal/setup')).body
    assert.deepEqual(await state(), {
      signup: 'invite',
      initialized: false,
      company: null,
      password: true,
      passkeys: false,
    })
    const setUp = (body: object) => owner.send('POST /internal/setup', body)
    assert.equal(endOf(await setUp({ demo: 'keep' })), '422 validation_failed')
    assert.equal(endOf(await setUp({ ...ADA, demo: 'remove' })), '422 validation_failed')
    const named = { ...ADA, demo: 'keep', workspace_name: 'Mine' }
    assert.equal(endOf(await setUp(named)), '422 validation_failed')
    const before = owner.jar.get('docket_session')
    const taken = { ...ADA, email: 'jonas@demo.example', demo: 'keep' }
    assert.equal(endOf(await setUp(taken)), '409 email_taken')
    assert.equal(endOf(await setUp({ ...ADA, demo: 'keep' })), '200')
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
    })
    assert.equal(endOf(await setUp({ ...ADA, demo: 'keep' })), '404 not_found')
    assert.equal(endOf(await setUp({})), '404 not_found')
    assert.equal(endOf(await signIn(printed)), '401 invalid_credentials')
    assert.equal(endOf(await signIn({ email: ADA.email, password: PASSWORD })), '201')
    assert.equal((await byKey('/api/v1/me')).statusCode, 200)
  })

  test(`the demo goes, with all that was in it, and an empty workspace begins (${engine})`, async () => {
    const served = await freshDocket(engine)
    const { storage, config } = served
    const { owner, workspace, byKey } = await demoOn(served)
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
    assert.equal(endOf(await owner.send(`GET /api/v1/tasks/${task.id}`)), '404 not_found')
    const projects = await owner.send('GET /api/v1/projects')
    assert.deepEqual(projects.body.data, [])

    const files = openFiles(config)
    // Somebody asked for a link to the account of one who has no password.
    await storage.write(NOBODY, (tx) => tx.run(insertResets, { at: '2099-01-01T00:00:00.000Z' }))
    const [purge, doomed] = [purgeAbandoned(storage, files), removeDoomed(storage, files)]
    for (let round = 0; round < 3; round += 1) {
      while (await purge());
      await doomed()
    }
    assert.deepEqual(await left(served, workspace), [])
    assert.equal(await purge(), false)
    await files.close()
    assert.equal(endOf(await owner.send('GET /internal/session')), '200')
  })
}

const insertResets = commandOfAll((db, $: { at: string }) =>
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
const accounts = queryOfAll((db) => db.selectFrom('users').select('email'))
const workspaces = queryOfAll((db) => db.selectFrom('workspaces').select('id'))

/** What of a workspace is still there. */
async function left({ storage }: Served, workspace: string): Promise<string[]> {
  return storage.read(NOBODY, async (tx) => {
    const people = (await tx.all(accounts, {})).map(({ email }) => email)
    const places = (await tx.all(workspaces, {})).map(({ id }) => id)
    return [...people, ...places].filter(
      (one) => one.endsWith('@demo.example') || one === workspace,
    )
  })
}
