import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { holdRequest } from '#test/support/server/held-request.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { findInvitationByToken, joinByInvitation } from './invitations.ts'

const ACCEPT = 'POST /internal/invitations/accept'
const REQUEST = { agent: '', address: '127.0.0.1' }

for (const engine of ENGINES) {
  /** A person who is signed in to one workspace and invited to another. */
  async function invitePerson() {
    const { storage, server, config } = await openTestDocket(engine)
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const email = await setTestPassword(storage, other, 'member')
    const client = createCookieClient(server)
    const signIn = await client.send('POST /internal/session', { email, password: TEST_PASSWORD })
    assert.equal(describeReply(signIn), '201')
    const { headers } = await createTestSession(storage, team, 'owner')
    const invitation = { method: 'POST', url: '/internal/invitations', headers } as const
    const invited = await server.inject({ ...invitation, payload: { email, role: 'admin' } })
    const token = String(invited.json().accept_url.split('/').at(-1))
    const cookie = `docket_session=${client.jar.get('docket_session')}`
    return { storage, server, config, team, other, client, token, cookie }
  }

  for (const [title, end] of [
    ['signing out', 'DELETE /internal/session'],
    ['a new password', 'PATCH /internal/account'],
  ] as const)
    test(`${title} ends a session whose acceptance of an invitation is still arriving (${engine})`, async () => {
      const { server, client, token, cookie } = await invitePerson()
      const headers = { cookie, origin: 'http://127.0.0.1:4000' }
      const held = await holdRequest(server, ACCEPT, headers, JSON.stringify({ token }))
      const body = { password: 'plum cake at night', current_password: TEST_PASSWORD }
      const ended = await client.send(end, end.startsWith('PATCH') ? body : undefined)
      assert.ok(ended.status < 300)
      const reply = await held.release()
      assert.equal(reply.status, 401)
      assert.ok(!('set-cookie' in reply.headers))
      // The invitation is still open, for somebody who enters the password.
      const lookup = await client.send('POST /internal/invitations/lookup', { token })
      assert.equal(describeReply(lookup), '200')
    })

  test(`a session continues only one that is alive and of the same user (${engine})`, async () => {
    const { storage, config, team, other, client, token, cookie } = await invitePerson()
    const invited = (await findInvitationByToken({ storage }, token)) ?? assert.fail()
    const person = { id: other.people.member, name: 'The member', by: 'session' } as const
    const join = (session: string) =>
      joinByInvitation(
        { storage, baseUrl: config.baseUrl, deviceKey: Buffer.alloc(32) },
        { ...REQUEST, cookie: session },
        { invited, token, person },
      )
    const { headers } = await createTestSession(storage, team, 'owner')
    await assert.rejects(join(headers.cookie), { status: 401, code: 'authentication_required' })
    await client.send('DELETE /internal/session')
    await assert.rejects(join(cookie), { status: 401, code: 'authentication_required' })
  })
}
