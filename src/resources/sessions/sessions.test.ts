import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Device } from './contract.ts'

for (const engine of ENGINES) {
  test(`users list their sessions and end one of them (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const [one, other, stranger] = [
      createCookieClient(server),
      createCookieClient(server),
      createCookieClient(server),
    ]
    const enter = (
      who: ReturnType<typeof createCookieClient>,
      agent: string,
      remoteAddress: string,
    ) => {
      const more = { headers: { 'user-agent': agent }, remoteAddress }
      return who.send('POST /internal/session', { email, password: TEST_PASSWORD }, more)
    }
    await enter(one, 'x'.repeat(1_000), '::ffff:192.0.2.7')
    await enter(other, 'Other', '2001:DB8:0:0::7')
    const { headers } = await createTestSession(storage, team, 'owner')
    const listed = await one.send('GET /internal/sessions?limit=1')
    assert.deepEqual([listed.status, listed.body.has_more], [200, true])
    const next = await one.send(`GET /internal/sessions?cursor=${listed.body.next_cursor}`)
    const devices = [...(listed.body.data as Device[]), ...(next.body.data as Device[])]
    assert.deepEqual(
      devices.map(({ current, user_agent, address, workspace }) => [
        current,
        user_agent,
        address,
        workspace.name,
      ]),
      [
        [true, 'x'.repeat(200), '192.0.2.7', 'Test'],
        [false, 'Other', '2001:db8::7', 'Test'],
      ],
    )
    const [own, others] = devices.map(({ id }) => `DELETE /internal/sessions/${id}`)
    assert.equal(
      describeReply(await stranger.send(own ?? '', undefined, { headers })),
      '404 not_found',
    )
    assert.equal(describeReply(await one.send(others ?? '')), '204')
    assert.equal(describeReply(await one.send(others ?? '')), '404 not_found')
    assert.equal(
      describeReply(await other.send('GET /internal/session')),
      '401 authentication_required',
    )
    assert.equal(describeReply(await one.send('GET /internal/session')), '200')
  })
}
