import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { abandonedWorkspaces } from '#db/workspaces/deleted-workspaces.ts'
import { openFiles } from '#files/open.ts'
import { addMember } from '#resources/members/membership.ts'
import { createFilledWorkspace } from '#test/archive/filled-workspace.ts'
import { omitFromRows, readWorkspaceRows } from '#test/support/data/workspace-rows.ts'
import { createFreshDockets } from '#test/support/engines/fresh-docket.ts'
import { ENGINES, type TestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { findPendingWorkspaces, WorkspaceClaim } from '#webhooks/queue.ts'
import type { Role } from '#wire/rights.ts'
import { expireDeletedWorkspaces, purgeWorkspaceStep } from '../../jobs/purges.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const clock = createTestClock()
/** Separate databases, because the jobs would delete other tests' data with this clock. */
const ownDocket = createFreshDockets({}, { clock })

const insertDispatcher = unscopedCommand((db, $: { id: string }) =>
  db.insertInto('dispatchers').values({ id: $.id, alive_until: '9999-01-01T00:00:00.000Z' }),
)

const workspaceById = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('workspaces').select('id').where('id', '=', $.id),
)

/** Columns that deletion changes: the dispatcher loses its claim. */
const CHANGED_COLUMNS = { workspaces: ['dispatch_token'] }

for (const engine of ENGINES) {
  const setUp = async (made = ({ storage }: TestDocket) => createTestWorkspace(storage)) => {
    const served = await ownDocket(engine)
    const { storage, server, config } = served
    const team = await made(served)
    const emails = {
      owner: await setTestPassword(storage, team, 'owner'),
      member: await setTestPassword(storage, team, 'member'),
    }
    // A new session each time, because older ones have expired by the test clock.
    const { request } = createTestClient(served, team)
    const ask = (as: Role, line: string, payload?: object) => request(line, payload, as)
    const signIn = async (email: string) =>
      server.inject({
        method: 'POST',
        url: '/internal/session',
        headers: { origin: config.baseUrl, 'content-type': 'application/json' },
        payload: { email, password: TEST_PASSWORD },
      })
    const remove = (name = 'Test', current_password = TEST_PASSWORD, as: Role = 'owner') =>
      ask(as, 'DELETE /internal/workspace', { name, current_password })
    // Ignores the sessions that each request creates, and the audit log of deletion and
    // restoration.
    const census = async () =>
      omitFromRows(
        await readWorkspaceRows({ config }, team.workspace),
        ['sessions', 'audit_entries', 'audit_heads'],
        CHANGED_COLUMNS,
      )
    return { storage, server, team, ask, signIn, remove, census, emails, config }
  }
  const errorCode = ({ body }: { body: { error: { code: string } } }) => body.error.code

  test(`an owner deletes a workspace by confirming its name and their password (${engine})`, async () => {
    const { ask, remove } = await setUp()
    assert.equal(errorCode(await remove('test')), 'validation_failed')
    assert.equal(errorCode(await remove('Test', 'not my password')), 'validation_failed')
    assert.equal(errorCode(await remove('Test', TEST_PASSWORD, 'admin')), 'insufficient_role')
    assert.equal(errorCode(await remove('Test', TEST_PASSWORD, 'member')), 'insufficient_role')
    assert.equal((await ask('owner', 'GET /api/v1/me')).status, 200)
    const deleted = await remove()
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
    const { deleted_at, erased_at } = deleted.body
    assert.equal(Date.parse(erased_at) - Date.parse(deleted_at), 30 * DAY_MS)
  })

  test(`a deleted workspace accepts no requests and sends no webhooks (${engine})`, async () => {
    const { storage, team, ask, signIn, remove, emails } = await setUp()
    const hook = { url: 'https://hooks.example.com/x', events: ['*'] }
    assert.equal((await ask('owner', 'POST /api/v1/webhooks', hook)).status, 201)
    const task = { project_id: team.project, title: 'Unsent' }
    assert.equal((await ask('owner', 'POST /api/v1/tasks', task)).status, 201)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    await storage.write(ANONYMOUS_ACTOR, (tx) =>
      tx.run(insertDispatcher, { id: `dsp_${team.workspace}` }),
    )
    const claim = new WorkspaceClaim(storage, actor, `dsp_${team.workspace}`)
    assert.equal(await claim.acquire(), true)
    const dispatchableWorkspaces = async () =>
      (await findPendingWorkspaces(storage, `dsp_${team.workspace}`)).workspaces
    assert.ok(
      (await dispatchableWorkspaces()).has(team.workspace),
      'before, there is something to send',
    )

    await remove()
    for (const role of ['owner', 'admin', 'member', 'guest'] as const) {
      assert.equal((await ask(role, 'GET /api/v1/me')).status, 401, role)
    }
    for (const role of ['admin', 'member'] as const) {
      assert.equal((await ask(role, 'GET /internal/boot')).status, 401, role)
      assert.equal((await ask(role, 'POST /internal/workspace/restore', {})).status, 401, role)
    }
    assert.equal((await ask('owner', 'GET /internal/boot')).status, 410)
    assert.equal(errorCode(await ask('owner', 'GET /internal/workspace')), 'workspace_deleted')
    assert.equal(errorCode(await remove()), 'workspace_deleted')
    const deletion = await ask('owner', 'GET /internal/workspace/deletion')
    assert.deepEqual([deletion.body.name, deletion.body.workspaces], ['Test', []])
    // The dispatcher has lost its claim, and nobody can claim the workspace again.
    assert.equal(await claim.writeAsHolder(async () => 'sent'), undefined)
    assert.equal(await claim.acquire(), false)
    assert.ok(!(await dispatchableWorkspaces()).has(team.workspace))
    // An owner can sign in to restore the workspace; a member without another workspace cannot sign
    // in.
    assert.equal((await signIn(emails.owner)).statusCode, 201)
    assert.equal((await signIn(emails.member)).json().error.code, 'no_workspace')
    // A member of another workspace signs in there.
    const other = await createTestWorkspace(storage)
    const joined = { user_id: team.people.member, name: 'The member', role: 'member' } as const
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: other.workspace }, (tx) =>
      addMember(tx, joined),
    )
    const elsewhere = await signIn(emails.member)
    assert.equal(elsewhere.json().workspace.id, other.workspace)
    assert.deepEqual(
      elsewhere.json().workspaces.map(({ id }: { id: string }) => id),
      [other.workspace],
    )
  })

  test(`restoring a workspace restores all of its data (${engine})`, async () => {
    const { team, ask, remove, census, storage } = await setUp((served) =>
      createFilledWorkspace(served),
    )
    const before = await census()
    const rows = Object.values(before).flat().length
    assert.ok(rows > 80, `${rows} rows to compare`)
    assert.equal(errorCode(await ask('owner', 'POST /internal/workspace/restore', {})), 'not_found')
    await remove()
    clock.advance(29 * DAY_MS)
    while (await expireDeletedWorkspaces(storage, 30)());
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
      assert.equal(audit.body.data[0]?.actor_id, team.people.owner, action)
    }
  })

  test(`only the audit log is left 30 days after the deletion (${engine})`, async () => {
    const { team, ask, remove, census, storage, config } = await setUp()
    await ask('owner', 'POST /api/v1/tasks', { project_id: team.project, title: 'T' })
    await remove()
    clock.advance(30 * DAY_MS + 1000)
    while (await expireDeletedWorkspaces(storage, 30)());
    assert.equal((await ask('owner', 'POST /internal/workspace/restore', {})).status, 401)
    const abandoned = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(abandonedWorkspaces, {}))
    assert.ok(abandoned.some(({ id }) => id === team.workspace))
    while (await purgeWorkspaceStep(storage, openFiles(config), team.workspace));
    assert.ok(Object.values(await census()).every((rows) => rows.length === 0))
    const found = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.one(workspaceById, { id: team.workspace }),
    )
    assert.equal(found, undefined)
  })
}
