import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { removeMember } from '#resources/members/membership.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { withSecondFactor } from '#test/support/authenticator.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { createTestClock } from '#test/support/clock.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'

const clock = createTestClock()
const NAMED = { name: 'My own', timezone: 'Europe/Zurich' }
const BEGIN = 'POST /internal/session/workspace'
const NOWHERE = '403 no_workspace'
const OVER = '401 sign_in_over'

for (const engine of ENGINES) {
  /** A person with a password and one workspace; `remove` takes that away. */
  const setUp = async (signup: 'open' | 'invite') => {
    const { storage, server } = await docketOn(engine, { DOCKET_SIGNUP: signup }, { clock })
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const actor = { ...NOBODY, role: 'owner' as const, workspace_id: home.workspace }
    const remove = () => storage.write(actor, (tx) => removeMember(tx, home.people.member))
    const one = browser(server)
    const signIn = (password = PASSWORD) => one.send('POST /internal/session', { email, password })
    return { home, one, signIn, remove }
  }

  test(`who is in no workspace signs in, and begins one (${engine})`, async () => {
    const { home, one, signIn, remove } = await setUp('open')
    await remove()
    assert.equal(endOf(await signIn('not the password')), '401 invalid_credentials')
    assert.equal(endOf(await one.send(BEGIN, NAMED)), OVER)
    assert.equal(endOf(await signIn()), NOWHERE)
    assert.deepEqual([...one.jar.keys()], ['docket_no_workspace'])
    assert.equal(endOf(await one.send('GET /internal/session')), '401 authentication_required')
    const begun = await one.send(BEGIN, NAMED)
    assert.equal(endOf(begun), '201')
    const { workspace, workspaces } = begun.body as {
      workspace: { id: string; name: string }
      workspaces: unknown[]
    }
    assert.deepEqual([workspace.name, workspaces.length], ['My own', 1])
    assert.notEqual(workspace.id, home.workspace)
    assert.ok(!one.jar.has('docket_no_workspace'))
    const { data } = (await one.send('GET /api/v1/workspace/members')).body
    const members = data as Record<'id' | 'role', string>[]
    assert.deepEqual(
      members.map(({ id, role }) => [id, role]),
      [[home.people.member, 'owner']],
    )
    assert.equal(endOf(await signIn()), '201', 'the next sign-in is like any other')
  })

  test(`a second factor is asked for first (${engine})`, async () => {
    const { one, signIn, remove } = await setUp('open')
    await signIn()
    const { codes } = await withSecondFactor(one, clock)
    await remove()
    assert.equal(endOf(await signIn()), '401 second_factor_required')
    assert.equal(endOf(await one.send(BEGIN, NAMED)), OVER)
    const code = codes.next()
    assert.equal(endOf(await one.send('POST /internal/session/second-factor', { code })), NOWHERE)
    assert.equal(endOf(await one.send(BEGIN, NAMED)), '201')
    const devices = (await one.send('GET /internal/sessions')).body.data as object[]
    assert.partialDeepStrictEqual(devices.at(-1), { signed_in_by: 'password', two_factors: true })
  })

  test(`who signs out instead leaves nothing to go on with (${engine})`, async () => {
    const { one, signIn, remove } = await setUp('open')
    await remove()
    await signIn()
    const step = one.jar.get('docket_no_workspace') ?? assert.fail()
    assert.equal(endOf(await one.send('DELETE /internal/session/workspace')), '204')
    assert.ok(!one.jar.has('docket_no_workspace'))
    one.jar.set('docket_no_workspace', step)
    assert.equal(endOf(await one.send(BEGIN, NAMED)), OVER)
  })

  test(`where one is invited nobody begins a workspace by themselves (${engine})`, async () => {
    const { one, signIn, remove } = await setUp('invite')
    await remove()
    assert.equal(endOf(await signIn()), NOWHERE)
    assert.equal(endOf(await one.send(BEGIN, NAMED)), '403 signup_disabled')
  })
}
