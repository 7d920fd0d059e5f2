import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY, type Role } from '#core/actor.ts'
import { Claim } from '#delivery/claim.ts'
import { lookRound } from '#delivery/round.ts'
import { openFiles } from '#files/open.ts'
import { addMember } from '#resources/members/membership.ts'
import { abandonedWorkspaces, STAYING } from '#storage/abandoned.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'
import { newWorld } from '#test/archive/world.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { censusOf, without } from '#test/support/census.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES, type Served } from '#test/support/engines.ts'
import { freshDockets } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { sessionOf } from '#test/support/session.ts'
import { purgeWorkspace } from '../upkeep/abandoned.ts'
import { eraseDeleted } from '../upkeep/deleted-workspaces.ts'

const DAY = 24 * 60 * 60 * 1000

const clock = createTestClock()
/** On databases of their own: with this clock, upkeep would take away what is of other tests. */
const ownDocket = freshDockets({}, { clock })

const letDispatch = commandOfAll((db, $: { id: string }) =>
  db.insertInto('dispatchers').values({ id: $.id, alive_until: '9999-01-01T00:00:00.000Z' }),
)

const stillThere = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('workspaces').select('id').where('id', '=', $.id),
)

/** Whoever sent for it has lost the claim, and whoever looks on was told. */
const CLAIM = { workspaces: ['dispatch_token', 'last_notice'] }

for (const engine of ENGINES) {
  const setUp = async (made = ({ storage }: Served) => newHome(storage)) => {
    const served = await ownDocket(engine)
    const { storage, server, config } = served
    const home = await made(served)
    const emails = {
      owner: await withPassword(storage, home, 'owner'),
      member: await withPassword(storage, home, 'member'),
    }
    const ask = async (as: Role, address: string, payload?: object) => {
      const [method = '', url = ''] = address.split(' ')
      const isKey = url.startsWith('/api/')
      // A new one each time: those of weeks ago have ended.
      const who = isKey
        ? { authorization: `Bearer ${home.keys[as]}` }
        : (await sessionOf(storage, home, as, config.baseUrl)).headers
      const reply = await server.inject({
        method: method as 'GET',
        url,
        headers: {
          ...who,
          ...(payload && { 'content-type': 'application/json' }),
        },
        ...(payload && { payload }),
      })
      return { status: reply.statusCode, body: reply.body ? reply.json() : {} }
    }
    const signIn = async (email: string) =>
      server.inject({
        method: 'POST',
        url: '/internal/session',
        headers: { origin: config.baseUrl, 'content-type': 'application/json' },
        payload: { email, password: PASSWORD },
      })
    const remove = (name = 'Test', current_password = PASSWORD, as: Role = 'owner') =>
      ask(as, 'DELETE /internal/workspace', { name, current_password })
    // A session is begun for each request, and that it was deleted and restored is in the audit log.
    const census = async () =>
      without(await censusOf({ config }, home.workspace), ['sessions', ...STAYING], CLAIM)
    return { storage, server, home, ask, signIn, remove, census, emails, config }
  }
  const code = ({ body }: { body: { error: { code: string } } }) => body.error.code

  test(`an owner deletes a workspace by its name and a password (${engine})`, async () => {
    const { ask, remove } = await setUp()
    assert.equal(code(await remove('test')), 'validation_failed')
    assert.equal(code(await remove('Test', 'not my password')), 'validation_failed')
    assert.equal(code(await remove('Test', PASSWORD, 'admin')), 'insufficient_role')
    assert.equal(code(await remove('Test', PASSWORD, 'member')), 'insufficient_role')
    assert.equal((await ask('owner', 'GET /api/v1/me')).status, 200)
    const gone = await remove()
    assert.equal(gone.status, 200, JSON.stringify(gone.body))
    const { deleted_at, erased_at } = gone.body
    assert.equal(Date.parse(erased_at) - Date.parse(deleted_at), 30 * DAY)
  })

  test(`nothing comes into a deleted workspace, or out (${engine})`, async () => {
    const { storage, home, ask, signIn, remove, emails } = await setUp()
    const hook = { url: 'https://hooks.example.com/x', events: ['*'] }
    assert.equal((await ask('owner', 'POST /api/v1/webhooks', hook)).status, 201)
    const task = { project_id: home.project, title: 'Unsent' }
    assert.equal((await ask('owner', 'POST /api/v1/tasks', task)).status, 201)
    const actor = { ...NOBODY, workspace_id: home.workspace }
    await storage.write(NOBODY, (tx) => tx.run(letDispatch, { id: `dsp_${home.workspace}` }))
    const claim = new Claim(storage, actor, `dsp_${home.workspace}`)
    assert.equal(await claim.make(), true)
    const seen = async () => (await lookRound(storage, `dsp_${home.workspace}`)).workspaces
    assert.ok((await seen()).has(home.workspace), 'before, there is something to send')

    await remove()
    for (const role of ['owner', 'admin', 'member', 'guest'] as const) {
      assert.equal((await ask(role, 'GET /api/v1/me')).status, 401, role)
    }
    for (const role of ['admin', 'member'] as const) {
      assert.equal((await ask(role, 'GET /internal/boot')).status, 401, role)
      assert.equal((await ask(role, 'POST /internal/workspace/restore', {})).status, 401, role)
    }
    assert.equal((await ask('owner', 'GET /internal/boot')).status, 410)
    assert.equal(code(await ask('owner', 'GET /internal/workspace')), 'workspace_deleted')
    assert.equal(code(await remove()), 'workspace_deleted')
    const told = await ask('owner', 'GET /internal/workspace/deletion')
    assert.deepEqual([told.body.name, told.body.workspaces], ['Test', []])
    // Who sends has lost the claim, and nobody gets another.
    assert.equal(await claim.holding(async () => 'sent'), undefined)
    assert.equal(await claim.make(), false)
    assert.ok(!(await seen()).has(home.workspace))
    // An owner comes as far as the way back; a member has nowhere to go.
    assert.equal((await signIn(emails.owner)).statusCode, 201)
    assert.equal((await signIn(emails.member)).json().error.code, 'no_workspace')
    // Whoever has another workspace goes there.
    const other = await newHome(storage)
    const joined = { user_id: home.people.member, name: 'The member', role: 'member' } as const
    await storage.write({ ...NOBODY, workspace_id: other.workspace }, (tx) => addMember(tx, joined))
    const elsewhere = await signIn(emails.member)
    assert.equal(elsewhere.json().workspace.id, other.workspace)
    assert.deepEqual(
      elsewhere.json().workspaces.map(({ id }: { id: string }) => id),
      [other.workspace],
    )
  })

  test(`a restored workspace is as it was (${engine})`, async () => {
    const { home, ask, remove, census, storage } = await setUp((served) => newWorld(served))
    const before = await census()
    const rows = Object.values(before).flat().length
    assert.ok(rows > 80, `${rows} rows to compare`)
    assert.equal(code(await ask('owner', 'POST /internal/workspace/restore', {})), 'not_found')
    await remove()
    clock.advance(29 * DAY)
    while (await eraseDeleted(storage, 30)());
    const restored = await ask('owner', 'POST /internal/workspace/restore', {})
    assert.deepEqual([restored.status, restored.body.name], [200, 'Test'])
    assert.deepEqual(await census(), before)
    for (const role of ['owner', 'admin', 'member'] as const) {
      assert.equal((await ask(role, 'GET /api/v1/me')).status, 200, role)
    }
    assert.equal((await ask('guest', 'GET /api/v1/me')).status, 401, 'was removed before')
    assert.equal((await ask('member', 'GET /internal/boot')).status, 200)
    for (const action of ['workspace.closed', 'workspace.restored']) {
      const audit = await ask('owner', `GET /internal/audit?action=${action}`)
      assert.equal(audit.body.data[0]?.actor_id, home.people.owner, action)
    }
  })

  test(`after thirty days nothing is left of it but its audit log (${engine})`, async () => {
    const { home, ask, remove, census, storage, config } = await setUp()
    await ask('owner', 'POST /api/v1/tasks', { project_id: home.project, title: 'T' })
    await remove()
    clock.advance(30 * DAY + 1000)
    while (await eraseDeleted(storage, 30)());
    assert.equal((await ask('owner', 'POST /internal/workspace/restore', {})).status, 401)
    const given = await storage.read(NOBODY, (tx) => tx.all(abandonedWorkspaces, {}))
    assert.ok(given.some(({ id }) => id === home.workspace))
    while (await purgeWorkspace(storage, openFiles(config), home.workspace));
    assert.ok(Object.values(await census()).every((rows) => rows.length === 0))
    const found = await storage.read(NOBODY, (tx) => tx.one(stillThere, { id: home.workspace }))
    assert.equal(found, undefined)
  })
}
