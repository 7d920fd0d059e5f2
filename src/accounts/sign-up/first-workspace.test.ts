import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { newId } from '#lib/id.ts'
import { createMembership, removeMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'

const clock = createTestClock()
const NEW_WORKSPACE = { name: 'My own', timezone: 'Europe/Zurich' }
const BEGIN = 'POST /internal/session/workspace'
const NO_WORKSPACE = '403 no_workspace'
const OVER = '401 sign_in_over'

for (const engine of ENGINES) {
  /** A user with a password and one workspace; `remove` removes them from it. */
  const setUp = async (signup: 'open' | 'invite') => {
    const { storage, server } = await openTestDocket(engine, { DOCKET_SIGNUP: signup }, { clock })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const actor = { ...ANONYMOUS_ACTOR, role: 'owner' as const, workspace_id: team.workspace }
    const remove = () => storage.write(actor, (tx) => removeMember(tx, team.people.member))
    const client = createCookieClient(server)
    const signIn = (password = TEST_PASSWORD) =>
      client.send('POST /internal/session', { email, password })
    return { team, client, signIn, remove }
  }

  test(`a user without a workspace signs in and creates one (${engine})`, async () => {
    const { team, client, signIn, remove } = await setUp('open')
    await remove()
    assert.equal(describeReply(await signIn('not the password')), '401 invalid_credentials')
    assert.equal(describeReply(await client.send(BEGIN, NEW_WORKSPACE)), OVER)
    assert.equal(describeReply(await signIn()), NO_WORKSPACE)
    assert.deepEqual([...client.jar.keys()], ['docket_no_workspace'])
    assert.equal(
      describeReply(await client.send('GET /internal/session')),
      '401 authentication_required',
    )
    const begun = await client.send(BEGIN, NEW_WORKSPACE)
    assert.equal(describeReply(begun), '201')
    const { workspace, workspaces } = begun.body as {
      workspace: { id: string; name: string }
      workspaces: unknown[]
    }
    assert.deepEqual([workspace.name, workspaces.length], ['My own', 1])
    assert.notEqual(workspace.id, team.workspace)
    assert.ok(!client.jar.has('docket_no_workspace'))
    const { data } = (await client.send('GET /api/v1/workspace/members')).body
    const members = data as Record<'id' | 'role', string>[]
    assert.deepEqual(
      members.map(({ id, role }) => [id, role]),
      [[team.people.member, 'owner']],
    )
    assert.equal(describeReply(await signIn()), '201', 'the next sign-in is like any other')
  })

  for (const [signup, role, status] of [
    ['open', 'member', '201'],
    ['invite', 'owner', '201'],
    ['invite', 'member', '403 signup_disabled'],
  ] as const) {
    test(`with DOCKET_SIGNUP=${signup} another workspace for a ${role} is ${status} (${engine})`, async () => {
      const { storage, server } = await openTestDocket(engine, { DOCKET_SIGNUP: signup }, { clock })
      const team = await createTestWorkspace(storage)
      const email = await setTestPassword(storage, team, role)
      const client = createCookieClient(server)
      await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
      const reply = await client.send('POST /internal/workspaces', NEW_WORKSPACE)
      assert.equal(describeReply(reply), status)
      const session = (await client.send('GET /internal/session')).body as {
        workspace: { id: string }
        workspaces: { id: string; name: string; role: string }[]
      }
      // The session stays where it is until the person goes there.
      assert.equal(session.workspace.id, team.workspace)
      const own = session.workspaces.filter(({ name }) => name === NEW_WORKSPACE.name)
      if (status !== '201') return assert.deepEqual(own, [])
      const { id } = reply.body as { id: string }
      assert.partialDeepStrictEqual(own, [{ id, role: 'owner' }])
      const moved = await client.send('PATCH /internal/session', { workspace_id: id })
      assert.equal(describeReply(moved), '200')
      const { data } = (await client.send('GET /api/v1/workspace/members')).body
      assert.partialDeepStrictEqual(data, [{ id: team.people[role], role: 'owner' }])
      assert.equal((data as unknown[]).length, 1)
      const { data: projects } = (await client.send('GET /api/v1/projects')).body
      assert.deepEqual(projects, [])
      const refused = await client.send('POST /internal/workspaces', { name: '', timezone: 'Mars' })
      assert.equal(describeReply(refused), '422 validation_failed')
    })
  }

  test(`a repeated request creates one workspace, and a person owns at most 50 (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine, { DOCKET_SIGNUP: 'open' }, { clock })
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'owner')
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const create = async (key: string, body = NEW_WORKSPACE) => {
      const headers = { 'idempotency-key': key }
      return client.send('POST /internal/workspaces', body, { headers })
    }
    const [first, second] = await Promise.all([create('one'), create('one')])
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.deepEqual(first.body, second.body)
    assert.equal(describeReply(await create('')), '400 invalid_header')
    const others = await Promise.all([
      create('two'),
      create('one', { ...NEW_WORKSPACE, name: 'Other' }),
    ])
    assert.equal(new Set([first, ...others].map(({ body }) => body.id)).size, 3)
    const user_id = team.people.owner
    for (let owned = 4; owned < 49; owned++) {
      await storage.write(createUserActor(user_id, newId('wsp', clock.now())), async (tx) => {
        await createWorkspace(tx, { ...NEW_WORKSPACE, plan: 'free' })
        await createMembership(tx, { user_id, name: 'The owner', role: 'owner' })
      })
    }
    const last = await Promise.all([create('three'), create('four')])
    assert.deepEqual(last.map(describeReply).toSorted(), ['201', '409 limit_reached'])
    assert.deepEqual((await create('one')).body, first.body)
  })

  test(`requires the second factor before a workspace can be created (${engine})`, async () => {
    const { client, signIn, remove } = await setUp('open')
    await signIn()
    const { codes } = await enrollSecondFactor(client, clock)
    await remove()
    assert.equal(describeReply(await signIn()), '401 second_factor_required')
    assert.equal(describeReply(await client.send(BEGIN, NEW_WORKSPACE)), OVER)
    const code = codes.next()
    assert.equal(
      describeReply(await client.send('POST /internal/session/second-factor', { code })),
      NO_WORKSPACE,
    )
    assert.equal(describeReply(await client.send(BEGIN, NEW_WORKSPACE)), '201')
    const devices = (await client.send('GET /internal/sessions')).body.data as object[]
    assert.partialDeepStrictEqual(devices.at(-1), { signed_in_by: 'password', two_factors: true })
  })

  test(`signing out cancels the unfinished sign-in (${engine})`, async () => {
    const { client, signIn, remove } = await setUp('open')
    await remove()
    await signIn()
    const step = client.jar.get('docket_no_workspace') ?? assert.fail()
    assert.equal(describeReply(await client.send('DELETE /internal/session/workspace')), '204')
    assert.ok(!client.jar.has('docket_no_workspace'))
    client.jar.set('docket_no_workspace', step)
    assert.equal(describeReply(await client.send(BEGIN, NEW_WORKSPACE)), OVER)
  })

  test(`users cannot create a workspace if sign-up is by invitation only (${engine})`, async () => {
    const { client, signIn, remove } = await setUp('invite')
    await remove()
    assert.equal(describeReply(await signIn()), NO_WORKSPACE)
    assert.equal(describeReply(await client.send(BEGIN, NEW_WORKSPACE)), '403 signup_disabled')
  })
}
