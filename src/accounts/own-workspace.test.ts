import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { removeMember } from '#resources/members/membership.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { newAddress } from '#test/support/browser.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'

const NAMED = { name: 'My own', timezone: 'Europe/Zurich' }

for (const engine of ENGINES) {
  /** A person who knows the password and was removed from the only workspace. */
  const setUp = async (signup: 'open' | 'invite') => {
    const { storage, server, config } = await docketOn(engine, { DOCKET_SIGNUP: signup })
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const actor = { ...NOBODY, role: 'owner' as const, workspace_id: home.workspace }
    await storage.write(actor, (tx) => removeMember(tx, home.people.member))
    const remoteAddress = newAddress()
    let cookie = ''
    const ask = async (address: string, payload?: object) => {
      const [method = '', url = ''] = address.split(' ')
      const reply = await server.inject({
        ...{ method: method as 'POST', url, remoteAddress },
        headers: {
          ...{ origin: config.baseUrl, cookie },
          ...(payload && { 'content-type': 'application/json' }),
        },
        ...(payload && { payload }),
      })
      const cookies = new Map(reply.cookies.map(({ name, value }) => [name, value]))
      return {
        status: reply.statusCode,
        body: reply.body ? reply.json() : {},
        code: reply.body ? reply.json().error?.code : undefined,
        cookies,
      }
    }
    const keep = (cookies: ReadonlyMap<string, string>) => {
      cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    }
    const signIn = (password = PASSWORD) => ask('POST /internal/session', { email, password })
    return { home, ask, keep, signIn }
  }

  test(`who is in no workspace signs in, and begins one (${engine})`, async () => {
    const { home, ask, keep, signIn } = await setUp('open')
    assert.equal((await signIn('not the password')).code, 'invalid_credentials')
    assert.equal((await ask('POST /internal/session/workspace', NAMED)).code, 'sign_in_over')
    const held = await signIn()
    assert.deepEqual([held.status, held.code], [403, 'no_workspace'])
    assert.deepEqual([...held.cookies.keys()], ['docket_no_workspace'])
    keep(held.cookies)
    assert.equal((await ask('GET /internal/session')).status, 401, 'the cookie opens nothing')
    const begun = await ask('POST /internal/session/workspace', NAMED)
    assert.equal(begun.status, 201, JSON.stringify(begun.body))
    const { workspace, workspaces, user } = begun.body
    assert.deepEqual([workspace.name, user.id], ['My own', home.people.member])
    assert.equal(workspaces.length, 1)
    assert.notEqual(workspace.id, home.workspace)
    // It was used up, and the next sign-in needs none.
    assert.equal((await ask('POST /internal/session/workspace', NAMED)).code, 'sign_in_over')
    const again = await signIn()
    assert.deepEqual([again.status, again.body.workspace.id], [201, workspace.id])
    keep(again.cookies)
    const members = await ask('GET /api/v1/workspace/members')
    assert.deepEqual(
      members.body.data.map(({ id, role }: Record<string, string>) => [id, role]),
      [[home.people.member, 'owner']],
    )
  })

  test(`who signs out instead leaves nothing to go on with (${engine})`, async () => {
    const { ask, keep, signIn } = await setUp('open')
    keep((await signIn()).cookies)
    const left = await ask('DELETE /internal/session/workspace')
    assert.deepEqual([left.status, left.cookies.get('docket_no_workspace')], [204, ''])
    assert.equal((await ask('POST /internal/session/workspace', NAMED)).code, 'sign_in_over')
  })

  test(`where one is invited nobody begins a workspace by themselves (${engine})`, async () => {
    const { ask, keep, signIn } = await setUp('invite')
    const held = await signIn()
    assert.equal(held.code, 'no_workspace')
    keep(held.cookies)
    const refused = await ask('POST /internal/session/workspace', NAMED)
    assert.deepEqual([refused.status, refused.code], [403, 'signup_disabled'])
  })
}
