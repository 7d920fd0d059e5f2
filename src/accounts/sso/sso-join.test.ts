import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { startOidcProvider } from '#test/support/services/oidc-provider.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createCookieClient, describeReply } from '#test/support/world/cookie-client.ts'
import {
  createOidcSettings,
  createSsoSteps,
  FINISH_SSO,
  newSubject,
  openSsoWorkspace,
  type SsoBrowser,
} from '#test/support/world/sso-workspace.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { parseConfig } from '../../config/config.ts'
import { createApp } from '../../server/app.ts'

const clock = createTestClock()
const company = await startOidcProvider()
after(() => company.close())

const OIDC = createOidcSettings(company)
const { getProviderResponse, signInWithSso } = createSsoSteps(company)

for (const engine of ENGINES) {
  const setUp = () => openSsoWorkspace(engine, clock, OIDC)

  test(`new users from allowed domains join the configured workspace as members (${engine})`, async (t) => {
    const { storage, config, team } = await setUp()
    const settings = parseConfig({
      ...OIDC,
      DOCKET_OIDC_WORKSPACE: team.workspace,
      DOCKET_OIDC_DOMAINS: 'acme.example',
    })
    const { server } = await createApp(
      storage,
      { ...config, sso: settings.sso },
      TEST_SECRET,
      testLog,
    )
    t.after(() => server.close())
    const subject = newSubject()
    company.become({ sub: subject, email: `${subject}@evil.example`, email_verified: true })
    assert.equal(
      describeReply(await signInWithSso(createCookieClient(server))),
      '403 company_email_refused',
    )
    company.become({
      sub: subject,
      email: `${subject}@acme.example`,
      email_verified: true,
      name: 'Ada',
    })
    const clients = [createCookieClient(server), createCookieClient(server)]
    const answers = await Promise.all(clients.map((client) => getProviderResponse(client)))
    const ends = await Promise.all(
      clients.map((client, at) => client.send(FINISH_SSO, answers[at])),
    )
    assert.ok(ends.map(describeReply).includes('200'), ends.map(describeReply).join())
    const again = await signInWithSso(createCookieClient(server), { purpose: 'sign_in' })
    assert.partialDeepStrictEqual(again.body, {
      user: { name: 'Ada', role: 'member' },
      workspace: { id: team.workspace },
    } as object)
  })

  test(`invited users, new or existing, accept with SSO (${engine})`, async () => {
    const { server, storage, team } = await setUp()
    const owner = createCookieClient(server)
    const owners = await setTestPassword(storage, team, 'owner')
    await owner.send('POST /internal/session', { email: owners, password: TEST_PASSWORD })
    const email = `${newSubject()}@acme.example`
    const invite = async (from: SsoBrowser) => {
      const made = await from.send('POST /internal/invitations', { email, role: 'member' })
      return String(made.body.accept_url).split('/').at(-1)
    }
    const me = newSubject()
    company.become({ sub: me, email: 'somebody@else.example', email_verified: true })
    const invitation = await invite(owner)
    assert.equal(
      describeReply(
        await signInWithSso(createCookieClient(server), { purpose: 'sign_in', invitation }),
      ),
      '403 signup_disabled',
    )
    company.become({ sub: me, email, email_verified: true, name: 'Invited' })
    const joined = await signInWithSso(createCookieClient(server), {
      purpose: 'sign_in',
      invitation,
    })
    assert.equal(describeReply(joined), '200')
    assert.partialDeepStrictEqual(joined.body, {
      user: { name: 'Invited', role: 'member' },
    } as object)
    const otherHome = await createTestWorkspace(storage)
    const boss = createCookieClient(server)
    const bosses = await setTestPassword(storage, otherHome, 'owner')
    await boss.send('POST /internal/session', { email: bosses, password: TEST_PASSWORD })
    const second = await signInWithSso(createCookieClient(server), {
      purpose: 'sign_in',
      invitation: await invite(boss),
    })
    assert.equal((second.body.workspace as { id: string }).id, otherHome.workspace)
  })
}
