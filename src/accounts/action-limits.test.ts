import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ActionSender,
  type AttemptLimit,
  countAttempts,
  listActionLimits,
  listSignInLimits,
} from '#auth/sign-in/attempt-limits.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { createInvitation } from '#resources/invitations/internal.ts'
import { createMembership } from '#resources/members/membership.ts'
import { createWebhook } from '#resources/webhooks/contract.ts'
import { callApi, summarizeReply } from '#test/support/api/call-api.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import {
  createCookieClient,
  describeReply,
  newClientAddress,
} from '#test/support/world/cookie-client.ts'
import { createSoftwareAuthenticator } from '#test/support/world/software-authenticator.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { enrollSecondFactor } from '#test/support/world/totp-app.ts'
import { signUp, switchWorkspace } from './contract.ts'

type OfficeBrowser = ReturnType<typeof createCookieClient>

const SITE = 'http://localhost:4000'
const REFUSED = '429 too_many_attempts'
const HOUR_MS = 60 * 60_000
const clock = createTestClock()

/** Uses up a limit but for `left`. */
const useUp = (storage: Storage, limit: AttemptLimit | undefined, left = 0) =>
  storage.write(ANONYMOUS_ACTOR, (tx) => {
    assert.ok(limit)
    return countAttempts(tx, [limit], limit.maxAttempts - left)
  })

for (const engine of ENGINES) {
  const open = async () => {
    const docket = await openTestDocket(engine, { DOCKET_SIGNUP: 'open' }, { clock })
    const { storage, server } = docket
    const signIn = async (
      where: Awaited<ReturnType<typeof createTestWorkspace>>,
      role: 'owner' | 'member' = 'owner',
    ) => {
      const email = await setTestPassword(storage, where, role)
      const client = createCookieClient(server)
      const enter = () => client.send('POST /internal/session', { email, password: TEST_PASSWORD })
      assert.equal(describeReply(await enter()), '201')
      return { client, email, enter }
    }
    return { ...docket, signIn }
  }

  test(`a network signs up thirty accounts an hour, and failures count none (${engine})`, async () => {
    const { storage, server } = await open()
    const network = `2001:db8:${crypto.getRandomValues(new Uint16Array(2)).join(':')}`
    const join = (remoteAddress: string, more = {}) =>
      createCookieClient(server).send(
        'POST /internal/signup',
        {
          email: `${crypto.randomUUID()}@example.com`,
          password: TEST_PASSWORD,
          name: 'A',
          workspace_name: 'W',
          ...more,
        },
        { remoteAddress },
      )
    const sender: ActionSender = { address: `${network}::1`, actor: undefined }
    await useUp(storage, listActionLimits(signUp, sender)[0], 2)
    const first = await join(`${network}::2`)
    assert.equal(describeReply(first), '201')
    const { email } = first.body.user as { email: string }
    assert.equal(describeReply(await join(`${network}::3`, { email })), '409 email_taken')
    assert.equal(describeReply(await join(`${network}::4`)), '201')
    const refused = await join(`${network}::5`)
    assert.equal(describeReply(refused), REFUSED)
    assert.equal(refused.headers['retry-after'], '3600')
    assert.equal(describeReply(await join(newClientAddress())), '201')
    clock.advance(HOUR_MS)
    assert.equal(describeReply(await join(`${network}::6`)), '201')
  })

  test(`a person invites no more people by several workspaces (${engine})`, async () => {
    const { storage, signIn } = await open()
    const [team, other] = [
      await createTestWorkspace(storage, 'free'),
      await createTestWorkspace(storage, 'free'),
    ]
    const { client } = await signIn(team)
    const user_id = team.people.owner
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: other.workspace }, (tx) =>
      createMembership(tx, { user_id, name: 'Owner', role: 'owner' }),
    )
    const actor = { user_id, workspace_id: team.workspace, plan: 'free' } as const
    const sender = { address: newClientAddress(), actor }
    const [, ofPerson] = listActionLimits(createInvitation, sender)
    await useUp(storage, ofPerson, 1)
    const invite = async (email: string) =>
      describeReply(await client.send('POST /internal/invitations', { email, role: 'member' }))
    assert.equal(await invite('one@example.com'), '201')
    const moved = await client.send('PATCH /internal/session', { workspace_id: other.workspace })
    assert.equal(describeReply(moved), '200')
    assert.equal(await invite('two@example.com'), REFUSED)
    const { client: colleague } = await signIn(other)
    const invited = await colleague.send('POST /internal/invitations', {
      email: 'two@example.com',
      role: 'member',
    })
    assert.equal(describeReply(invited), '201')
  })

  test(`a workspace changes webhooks 300 times in 15 minutes, by all keys together (${engine})`, async () => {
    const { storage, server } = await open()
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const create = (key: string) => {
      const body = { url: 'https://hooks.example.com/', events: ['*'] }
      return callApi(server, key, { method: 'POST', url: '/api/v1/webhooks', body })
    }
    const { id } = JSON.parse((await create(team.keys.owner)).text)
    const call = async (role: 'owner' | 'admin', method: string, path = '', body?: object) =>
      summarizeReply(
        await callApi(server, team.keys[role], {
          method,
          url: `/api/v1/webhooks/${id}${path}`,
          ...(body && { body }),
        }),
      )
    const actor = { user_id: '', workspace_id: team.workspace, plan: 'paid' } as const
    const [ofWorkspace] = listActionLimits(createWebhook, { address: '', actor })
    // The first webhook has counted.
    await useUp(storage, ofWorkspace, 3)
    assert.equal(ofWorkspace?.maxAttempts, 300)
    assert.equal(await call('owner', 'POST', '/rotate-secret', {}), '200')
    assert.equal(await call('owner', 'PATCH', '', { description: 'Ours' }), '200')
    for (const role of ['owner', 'admin'] as const) {
      assert.equal(await call(role, 'POST', '/rotate-secret', {}), REFUSED)
      assert.equal(await call(role, 'PATCH', '', { description: null }), REFUSED)
    }
    assert.equal(summarizeReply(await create(team.keys.owner)), REFUSED)
    assert.equal((await create(other.keys.owner)).status, 201)
    // What takes away is never refused.
    assert.equal(await call('owner', 'DELETE'), '204')
    clock.advance(15 * 60_000)
    assert.equal((await create(team.keys.owner)).status, 201)
  })

  test(`a person switches workspaces a hundred times in 15 minutes, by all sessions together (${engine})`, async () => {
    const { storage, signIn } = await open()
    const team = await createTestWorkspace(storage)
    const { client, enter } = await signIn(team)
    const switchTo = async () =>
      describeReply(await client.send('PATCH /internal/session', { workspace_id: team.workspace }))
    const actor = {
      user_id: team.people.owner,
      workspace_id: team.workspace,
      plan: 'paid',
    } as const
    const [ofPerson] = listActionLimits(switchWorkspace, { address: '', actor })
    assert.equal(ofPerson?.maxAttempts, 100)
    await useUp(storage, ofPerson, 2)
    assert.equal(await switchTo(), '200')
    assert.equal(describeReply(await enter()), '201')
    const more = await Promise.all([switchTo(), switchTo(), switchTo()])
    assert.deepEqual(more.toSorted(), ['200', REFUSED, REFUSED])
    // What ends access is never refused.
    assert.equal(describeReply(await client.send('DELETE /internal/session')), '204')
  })

  test(`sign-ins of an account that wait for each other count as no failures (${engine})`, async () => {
    const { storage, server } = await open()
    const email = await setTestPassword(storage, await createTestWorkspace(storage), 'member')
    const body = { email, password: TEST_PASSWORD }
    const replies = Array.from({ length: 14 }, () =>
      createCookieClient(server).send('POST /internal/session', body),
    )
    assert.deepEqual((await Promise.all(replies)).map(describeReply), Array(14).fill('201'))
  })

  test(`who knows a password cannot sign in without limit, nor block the user’s own browser (${engine})`, async () => {
    const { storage, server, signIn } = await open()
    const team = await createTestWorkspace(storage)
    const { email, enter } = await signIn(team, 'member')
    // The first sign-in of a browser that nobody knows has counted, too.
    const [, ofNewBrowsers] = listSignInLimits(team.people.member, undefined, '')
    await useUp(storage, ofNewBrowsers, 3)
    const stranger = () =>
      createCookieClient(server).send('POST /internal/session', { email, password: TEST_PASSWORD })
    const replies = await Promise.all([stranger(), stranger(), stranger(), stranger()])
    assert.deepEqual(replies.map(describeReply).toSorted(), ['201', '201', REFUSED, REFUSED])
    assert.equal(describeReply(await enter()), '201')
    clock.advance(HOUR_MS)
    assert.equal(describeReply(await stranger()), '201')
  })

  test(`counts the sign-ins of an account over all its browsers (${engine})`, async () => {
    const { storage, server, signIn } = await open()
    const team = await createTestWorkspace(storage)
    const { email, enter } = await signIn(team, 'member')
    const browsers = [createCookieClient(server), createCookieClient(server)]
    const enterIn = (browser: OfficeBrowser) =>
      browser.send('POST /internal/session', { email, password: TEST_PASSWORD })
    for (const browser of browsers) assert.equal(describeReply(await enterIn(browser)), '201')
    const [ofAccount] = listSignInLimits(team.people.member, undefined, '')
    assert.equal(ofAccount?.maxAttempts, 300)
    // Three sign-ins have counted.
    await useUp(storage, ofAccount, 5)
    const replies = await Promise.all([enter(), ...browsers.map(enterIn)])
    assert.deepEqual(replies.map(describeReply).toSorted(), ['201', '201', REFUSED])
    const { body } = await enter()
    assert.match(
      JSON.stringify(body),
      /There were 300 sign-ins to this account within 15 minutes\. Try again in 15 minutes\./,
    )
    // The other people of the workspace are not affected.
    await signIn(team, 'owner')
    clock.advance(15 * 60_000)
    assert.equal(describeReply(await enter()), '201')
  })

  test(`a person’s known browser signs in from a network that has used up its sign-ins, in every way (${engine})`, async () => {
    const { storage, server } = await openTestDocket(
      engine,
      { DOCKET_BASE_URL: SITE, DOCKET_PORT: '4000' },
      { clock },
    )
    const team = await createTestWorkspace(storage)
    const other = await createTestWorkspace(storage)
    const email = await setTestPassword(storage, team, 'member')
    const owner = createCookieClient(server, SITE)
    const ownerEmail = await setTestPassword(storage, other, 'owner')
    await owner.send('POST /internal/session', { email: ownerEmail, password: TEST_PASSWORD })
    const remoteAddress = newClientAddress()
    const send = (browser: OfficeBrowser, line: string, body: object) =>
      browser.send(line, body, { remoteAddress })
    const known = createCookieClient(server, SITE)
    const withPassword = (browser: OfficeBrowser) =>
      send(browser, 'POST /internal/session', { email, password: TEST_PASSWORD })
    assert.equal(describeReply(await withPassword(known)), '201')
    const key = createSoftwareAuthenticator()
    const { challenge } = (
      await send(known, 'POST /internal/account/passkeys/challenge', {
        current_password: TEST_PASSWORD,
      })
    ).body
    const made = { name: 'Laptop', ...key.make({ challenge: String(challenge) }) }
    assert.equal(describeReply(await send(known, 'POST /internal/account/passkeys', made)), '201')
    const withPasskey = async (browser: OfficeBrowser) => {
      const begun = await send(browser, 'POST /internal/session/passkey/challenge', {})
      const shown = key.show({ challenge: String(begun.body.challenge) })
      return send(browser, 'POST /internal/session/passkey', shown)
    }
    const withInvitation = async (browser: OfficeBrowser) => {
      browser.jar.delete('docket_session')
      const invited = await owner.send('POST /internal/invitations', { email, role: 'member' })
      const token = String(invited.body.accept_url).split('/').at(-1)
      const accept = { token, password: TEST_PASSWORD }
      return send(browser, 'POST /internal/invitations/accept', accept)
    }
    const ofNetwork = listSignInLimits(team.people.member, undefined, remoteAddress).at(-1)
    assert.equal(ofNetwork?.maxAttempts, 1_000)
    await useUp(storage, ofNetwork)
    for (const signIn of [withPassword, withPasskey, withInvitation]) {
      const stranger = createCookieClient(server, SITE)
      const refused = await signIn(stranger)
      assert.equal(describeReply(refused), REFUSED, signIn.name)
      assert.equal(refused.headers['retry-after'], '3600')
      assert.match(
        JSON.stringify(refused.body),
        /There were 1,000 sign-ins from new browsers in your network within 60 minutes\. Try again in 60 minutes\./,
      )
      assert.ok(!stranger.jar.has('docket_session'))
      assert.equal(describeReply(await signIn(known)), '201', signIn.name)
    }
    // The device cookie of another person is of no use.
    const borrower = createCookieClient(server, SITE)
    borrower.jar.set('docket_device', owner.jar.get('docket_device') ?? '')
    assert.equal(describeReply(await withPassword(borrower)), REFUSED)
    clock.advance(HOUR_MS)
    assert.equal(describeReply(await withPassword(borrower)), '201')
  })

  test(`a sign-in with a second factor counts once (${engine})`, async () => {
    const { storage, server, signIn } = await open()
    const team = await createTestWorkspace(storage)
    const { email, client } = await signIn(team, 'member')
    const { codes } = await enrollSecondFactor(client, clock)
    const [ofAccount] = listSignInLimits(team.people.member, undefined, '')
    await useUp(storage, ofAccount, 2)
    const enter = () =>
      createCookieClient(server).send('POST /internal/session', { email, password: TEST_PASSWORD })
    const browser = createCookieClient(server)
    await browser.send('POST /internal/session', { email, password: TEST_PASSWORD })
    assert.equal(describeReply(await enter()), REFUSED)
    const code = codes.next()
    const finished = await browser.send('POST /internal/session/second-factor', { code })
    assert.equal(describeReply(finished), '201')
  })
}
