import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { query, unscopedQuery } from '#db/core/statement.ts'
import { addMember, createMembership } from '#resources/members/membership.ts'
import { setRole as setRoleOf } from '#resources/members/membership-store.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { findInvitationByToken, joinByInvitation } from './invitations.ts'

const POST = 'POST /internal/invitations'

for (const engine of ENGINES) {
  const createInviter = async () => {
    const docket = await openTestDocket(engine)
    const { storage, server } = docket
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const email = await setTestPassword(storage, other, 'member')
    const signedIn = async (where: typeof team) => {
      const owner = createCookieClient(server)
      const own = await setTestPassword(storage, where, 'owner')
      await owner.send('POST /internal/session', { email: own, password: TEST_PASSWORD })
      return owner
    }
    const tokenBy = async (by: ReturnType<typeof createCookieClient>, to: string) => {
      const { body } = await by.send(POST, { email: to, role: 'admin' })
      return String(body.accept_url).split('/').at(-1)
    }
    const owner = await signedIn(team)
    const token = (to = email) => tokenBy(owner, to)
    const tokenOf = async (where: typeof team, to: string) => tokenBy(await signedIn(where), to)
    const kinds = async () => (await readEvents(storage, team.workspace)).map(({ type }) => type)
    return { ...docket, team, other, email, owner, token, tokenOf, kinds }
  }
  const accept = (who: ReturnType<typeof createCookieClient>, body: object) =>
    who.send(`${POST}/accept`, body)

  test(`an invitation ends when its inviter may no longer invite to its role (${engine})`, async () => {
    const { server, storage, team, owner, email } = await createInviter()
    const admin = createCookieClient(server)
    const adminEmail = await setTestPassword(storage, team, 'admin')
    await admin.send('POST /internal/session', { email: adminEmail, password: TEST_PASSWORD })
    const ADMIN = `/internal/members/${team.people.admin}`
    const setRole = async (role: string) =>
      assert.equal(describeReply(await owner.send(`PATCH ${ADMIN}`, { role })), '200')
    const invite = async (role: string) => {
      const { body } = await admin.send(POST, { email, role })
      return String(body.accept_url).split('/').at(-1)
    }
    const outcomes = async (token: string | undefined) => [
      describeReply(await createCookieClient(server).send(`${POST}/lookup`, { token })),
      describeReply(await accept(createCookieClient(server), { token, password: TEST_PASSWORD })),
    ]
    const GONE = ['404 not_found', '404 not_found']
    const write = (action: (tx: WriteTx) => Promise<unknown>) =>
      storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, action)
    const user_id = team.people.admin
    const first = await invite('member')
    await setRole('member')
    assert.deepEqual(await outcomes(first), GONE)
    await setRole('owner')
    assert.deepEqual(await outcomes(first), GONE)
    const second = await invite('owner')
    await setRole('admin')
    assert.deepEqual(await outcomes(second), GONE)
    await setRole('owner')
    assert.deepEqual(await outcomes(second), GONE)
    const third = await invite('guest')
    assert.equal(describeReply(await owner.send(`DELETE ${ADMIN}`)), '204')
    assert.deepEqual(await outcomes(third), GONE)
    const again = { user_id, name: 'The admin', role: 'admin' } as const
    await write((tx) => addMember(tx, again))
    assert.deepEqual(await outcomes(third), GONE)
    const { body } = await owner.send('GET /internal/invitations')
    assert.deepEqual(body.data, [])

    await admin.send('POST /internal/session', { email: adminEmail, password: TEST_PASSWORD })
    const fourth = await invite('member')
    // A role that changes beside a request leaves the invitations.
    await write((tx) => tx.run(setRoleOf, { user_id, role: 'member' }))
    assert.deepEqual(await outcomes(fourth), GONE)
    await write((tx) => tx.run(setRoleOf, { user_id, role: 'admin' }))
    assert.deepEqual(await outcomes(fourth), ['200', '201'])
  })

  test(`an invitation ends while it is being accepted (${engine})`, async () => {
    const { storage, team, other, config, token, kinds } = await createInviter()
    const link = (await token()) ?? assert.fail()
    const invited = (await findInvitationByToken({ storage }, link)) ?? assert.fail()
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    await storage.write(actor, (tx) =>
      tx.run(setRoleOf, { user_id: team.people.owner, role: 'member' }),
    )
    const person = { id: other.people.member, name: 'The member', by: 'password' } as const
    const deps = { storage, baseUrl: config.baseUrl, deviceKey: Buffer.alloc(32) }
    const request = { cookie: undefined, agent: '', address: '127.0.0.1' }
    const join = joinByInvitation(deps, request, { invited, token: link, person })
    await assert.rejects(join, { status: 404 })
    assert.deepEqual(await kinds(), [])
  })

  test(`accepting an invitation to an existing account requires its password or session (${engine})`, async () => {
    const { server, storage, team, other, owner, token, kinds } = await createInviter()
    const link = await token()
    const client = createCookieClient(server)
    const lookup = await client.send(`${POST}/lookup`, { token: link })
    assert.ok(!('has_account' in lookup.body))
    const REJECTED = '401 invalid_credentials'
    assert.equal(describeReply(await accept(client, { token: link })), REJECTED)
    assert.equal(
      describeReply(await accept(client, { token: link, name: 'X', password: 'plum tart at 9' })),
      REJECTED,
    )
    // A session of another user does not suffice.
    assert.equal(describeReply(await accept(owner, { token: link })), REJECTED)
    assert.equal(client.jar.size, 0)
    assert.deepEqual(await kinds(), [])

    const joined = await accept(client, { token: link, password: TEST_PASSWORD })
    assert.equal(describeReply(joined), '201')
    const { user, workspace, workspaces } = joined.body as {
      user: { id: string }
      workspace: { id: string }
      workspaces: unknown[]
    }
    assert.deepEqual([user.id, workspace.id], [other.people.member, team.workspace])
    assert.equal(workspaces.length, 2)
    assert.deepEqual(await kinds(), ['member.added'])
    const [event] = await readEvents(storage, team.workspace)
    const { actor } = JSON.parse(event?.payload ?? '{}')
    assert.deepEqual(actor, {
      type: 'user',
      user_id: other.people.member,
      name: 'The member',
      credential_id: null,
    })
  })

  test(`an invited person's new account has the time zone and language of their device (${engine})`, async () => {
    const { server, team, email: existing, token } = await createInviter()
    const join = async (to: string, device: object) => {
      const body = { token: await token(to), name: 'New', password: TEST_PASSWORD, ...device }
      const { user } = (await accept(createCookieClient(server), body)).body
      const { timezone, locale } = user as { timezone: string; locale: string }
      return [timezone, locale]
    }
    const device = { timezone: 'Asia/Tokyo', locale: 'de' }
    const domain = `${team.workspace.slice(4)}.example`
    assert.deepEqual(await join(`here@${domain}`, device), ['Asia/Tokyo', 'de'])
    assert.deepEqual(await join(`silent@${domain}`, {}), ['Europe/Zurich', 'en'])
    // Who has an account has chosen already.
    assert.deepEqual(await join(existing, device), ['Europe/Zurich', 'en'])
  })

  test(`a signed-in user accepts an invitation without a password (${engine})`, async () => {
    const { server, team, email, token, kinds } = await createInviter()
    const client = createCookieClient(server)
    await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    const link = await token()
    const joined = await accept(client, { token: link })
    assert.deepEqual(describeReply(joined), '201')
    assert.equal((joined.body.workspace as { id: string }).id, team.workspace)
    assert.equal(describeReply(await client.send('GET /internal/session')), '200')
    assert.deepEqual(await kinds(), ['member.added'])
    assert.equal(describeReply(await accept(client, { token: link })), '404 not_found')
  })

  test(`accepting an invitation returns 409 if the user is a member already (${engine})`, async () => {
    const { server, storage, team, other, token, kinds } = await createInviter()
    const link = await token()
    const member = { user_id: other.people.member, name: 'The member', role: 'guest' } as const
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    await storage.write(actor, (tx) => createMembership(tx, member))
    const body = { token: link, password: TEST_PASSWORD }
    for (let times = 0; times < 2; times++) {
      assert.equal(
        describeReply(await accept(createCookieClient(server), body)),
        '409 already_member',
      )
    }
    assert.deepEqual(await kinds(), [])
  })

  test(`only one of several concurrent acceptances of an invitation succeeds (${engine})`, async () => {
    const { server, storage, team, other, token, tokenOf } = await createInviter()
    const fresh_email = `both@${team.workspace.slice(4)}.example`
    const ends = async (bodies: object[]) =>
      (await Promise.all(bodies.map((body) => accept(createCookieClient(server), body))))
        .map(describeReply)
        .toSorted()
    const fresh = await token(`fresh@${team.workspace.slice(4)}.example`)
    const asNew = ['A', 'B', 'C'].map((name) => ({ token: fresh, name, password: TEST_PASSWORD }))
    assert.deepEqual(await ends(asNew), ['201', '404 not_found', '404 not_found'])
    // Two workspaces invite a new address: the second acceptance finds the account that the first
    // created.
    const [token1, token2] = [await token(fresh_email), await tokenOf(other, fresh_email)]
    const twice = [
      { token: token1, name: 'Here', password: TEST_PASSWORD },
      { token: token2, name: 'There', password: `${TEST_PASSWORD} there` },
    ]
    assert.deepEqual(await ends(twice), ['201', '401 invalid_credentials'])
    const link = await token()
    const asKnown = Array(2).fill({ token: link, password: TEST_PASSWORD })
    assert.deepEqual(await ends(asKnown), ['201', '404 not_found'])
    for (const { workspace } of [team, other]) {
      const rows = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, (tx) =>
        tx.all(membersOf, {}),
      )
      const events = (await readEvents(storage, workspace)).map(({ type }) => type)
      assert.deepEqual(events, Array(rows.length - 4).fill('member.added'))
    }
    const accounts = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(accountsWith, { email: fresh_email }),
    )
    assert.equal(accounts.length, 1)
  })

  test(`limits password guesses with an invitation link (${engine})`, async () => {
    const { server, token } = await createInviter()
    const link = await token()
    const guesses = Array.from({ length: 14 }, (_, at) => ({
      token: link,
      password: `a wrong guess ${at}`,
    }))
    const ends: string[] = []
    for (const body of guesses)
      ends.push(describeReply(await accept(createCookieClient(server), body)))
    assert.deepEqual(
      ends,
      guesses.map((_, at) => (at < 10 ? '401 invalid_credentials' : '429 too_many_attempts')),
    )
    const right = await accept(createCookieClient(server), { token: link, password: TEST_PASSWORD })
    assert.equal(describeReply(right), '429 too_many_attempts')
  })
}

const accountsWith = unscopedQuery((db, $: { email: string }) =>
  db.selectFrom('users').select('id').where('email', '=', $.email),
)

const membersOf = query((db) => db.selectFrom('memberships').select('user_id'))
