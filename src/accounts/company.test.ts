import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { commandOfAll } from '#storage/statement.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { withSecondFactor } from '#test/support/authenticator.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { createTestClock } from '#test/support/clock.ts'
import { CLIENT, companyProvider } from '#test/support/company.ts'
import { docketOn, ENGINES, log, SECRET, withoutWalls } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { app } from '../app.ts'
import { configFrom } from '../config.ts'

const clock = createTestClock()
const company = await companyProvider()
const other = await companyProvider()
after(() => Promise.all([company.close(), other.close()]))

const OIDC = {
  DOCKET_OIDC_ISSUER: company.issuer,
  DOCKET_OIDC_CLIENT_ID: CLIENT.id,
  DOCKET_OIDC_CLIENT_SECRET: CLIENT.secret,
  DOCKET_OIDC_NAME: 'Acme',
}
const BEGIN = 'POST /internal/company-sign-in'
const FINISH = 'POST /internal/company-sign-in/finish'
const FAILED = '401 company_sign_in_failed'
const OVER = '401 sign_in_over'

type One = ReturnType<typeof browser>
let serial = 0
const sub = () => {
  serial += 1
  return `employee-${process.pid}-${Date.now()}-${serial}`
}

/** Goes to the provider and comes back with its answer. */
async function away(one: One, body: object = { purpose: 'sign_in' }) {
  const begun = await one.send(BEGIN, body)
  assert.equal(endOf(begun), '200')
  const back = await company.visit(String(begun.body.redirect_to))
  assert.equal(`${back.origin}${back.pathname}`, 'http://127.0.0.1:4000/sign-in/company')
  return Object.fromEntries(back.searchParams) as { code: string; state: string; iss: string }
}

const come = async (one: One, body?: object) => one.send(FINISH, await away(one, body))

for (const engine of ENGINES) {
  const peopled = async (env: Record<string, string> = {}) => {
    const served = await docketOn(engine, { ...withoutWalls(engine), ...OIDC, ...env }, { clock })
    const { storage } = served
    const home = await newHome(storage)
    const email = await withPassword(storage, home, 'member')
    const verify = () => storage.write(NOBODY, (tx) => tx.run(verified, { id: home.people.member }))
    return { ...served, home, email, verify }
  }

  test(`an address counts only if both sides have verified it (${engine})`, async () => {
    const { server, email, verify, home } = await peopled()
    const setup = await browser(server).send('GET /internal/setup')
    assert.partialDeepStrictEqual(setup.body, { company: 'Acme', password: true } as object)
    company.become({ sub: sub(), email: email.toUpperCase(), email_verified: true, name: 'M' })
    assert.equal(endOf(await come(browser(server))), '409 account_not_linked')
    await verify()
    const me = sub()
    for (const email_verified of [false, undefined]) {
      company.become({ sub: me, email, ...(email_verified !== undefined && { email_verified }) })
      assert.equal(endOf(await come(browser(server))), '403 company_email_refused')
    }
    company.become({ sub: me, email, email_verified: true })
    const one = browser(server)
    const entered = await come(one)
    assert.equal(endOf(entered), '200')
    assert.equal((entered.body.user as { id: string }).id, home.people.member)
    assert.ok(!one.jar.has('docket_company'))
    const devices = (await one.send('GET /internal/sessions')).body.data as {
      signed_in_by: string
    }[]
    assert.equal(devices[0]?.signed_in_by, 'company')
    // From now on the subject names the person, whatever becomes of the address; and no other subject does.
    company.become({ sub: me, email: 'new@elsewhere.example', email_verified: false })
    assert.equal(endOf(await come(browser(server))), '200')
  })

  test(`who has a password links in the profile, and the link can end (${engine})`, async () => {
    const { server, email, storage, home } = await peopled()
    const one = browser(server)
    await one.send('POST /internal/session', { email, password: PASSWORD })
    const link = (more: object) => one.send(BEGIN, { purpose: 'link', ...more })
    assert.equal(endOf(await link({})), '422 validation_failed')
    assert.equal(
      endOf(await browser(server).send(BEGIN, { purpose: 'link' })),
      '401 authentication_required',
    )
    const me = { sub: sub(), email: 'other@acme.example', email_verified: true }
    company.become(me)
    assert.equal(endOf(await come(one, { purpose: 'link', current_password: PASSWORD })), '200')
    assert.equal(endOf(await come(browser(server))), '200')
    const means = await one.send('GET /internal/account/sign-in')
    assert.equal((means.body.company as { email: string }).email, me.email)

    // Nobody else takes the same person, and nobody's browser is made to link another's.
    const boss = browser(server)
    const bosses = await withPassword(storage, home, 'owner')
    await boss.send('POST /internal/session', { email: bosses, password: PASSWORD })
    const wanted = { purpose: 'link', current_password: PASSWORD }
    assert.equal(endOf(await come(boss, wanted)), '409 company_linked')
    const answer = await away(boss, wanted)
    assert.equal(endOf(await one.send(FINISH, answer)), OVER)

    assert.equal(endOf(await one.send('DELETE /internal/account/company')), '204')
    assert.equal(endOf(await come(browser(server))), '403 signup_disabled')
  })

  test(`an answer that was not asked for opens nothing (${engine})`, async () => {
    const { server, email, verify } = await peopled()
    await verify()
    company.become({ sub: sub(), email, email_verified: true })
    const tried = async (change: (answer: Awaited<ReturnType<typeof away>>) => object) => {
      const one = browser(server)
      const answer = await away(one)
      const end = endOf(await one.send(FINISH, { ...answer, ...change(answer) }))
      assert.ok(!one.jar.has('docket_session'))
      // Whatever came of it, the beginning is used up.
      assert.equal(endOf(await one.send(FINISH, answer)), OVER)
      return end
    }
    assert.equal(await tried(({ state }) => ({ state: `${state}x` })), FAILED)
    assert.equal(await tried(() => ({ iss: other.issuer })), FAILED)
    assert.equal(await tried(() => ({ iss: undefined })), FAILED)
    assert.equal(await tried(() => ({ code: 'made-up' })), FAILED)
    // An answer that was signed for another beginning.
    const swapped = browser(server)
    const begun = await swapped.send(BEGIN, { purpose: 'sign_in' })
    const address = new URL(String(begun.body.redirect_to))
    address.searchParams.set('nonce', 'of somebody else')
    const back = Object.fromEntries((await company.visit(address.href)).searchParams)
    assert.equal(endOf(await swapped.send(FINISH, back)), FAILED)
    // The code of another browser: its verifier and its nonce are not there.
    const thief = browser(server)
    const own = await away(thief)
    const theirs = await away(browser(server))
    assert.equal(endOf(await thief.send(FINISH, { ...own, code: theirs.code })), FAILED)
    // The whole answer of another browser.
    assert.equal(endOf(await browser(server).send(FINISH, theirs)), OVER)
    const one = browser(server)
    const answer = await away(one)
    assert.equal(endOf(await one.send(FINISH, answer)), '200')
    assert.equal(endOf(await one.send(FINISH, answer)), OVER)
    const foreign = { headers: { origin: 'https://evil.example' } }
    for (const line of [BEGIN, FINISH]) {
      assert.equal(
        endOf(await one.send(line, { purpose: 'sign_in' }, foreign)),
        '403 csrf_rejected',
      )
    }
  })

  test(`newcomers come in where the operator says, with a role, from the domains (${engine})`, async () => {
    const { storage, config, home } = await peopled()
    const settings = configFrom({
      ...OIDC,
      ...{ DOCKET_OIDC_WORKSPACE: home.workspace, DOCKET_OIDC_ROLE: 'guest' },
      DOCKET_OIDC_DOMAINS: 'acme.example',
    })
    const { server } = await app(storage, { ...config, company: settings.company }, SECRET, log)
    after(() => server.close())
    const tag = sub()
    company.become({ sub: tag, email: `${tag}@evil.example`, email_verified: true })
    assert.equal(endOf(await come(browser(server))), '403 company_email_refused')
    company.become({ sub: tag, email: `${tag}@acme.example`, email_verified: true, name: 'Ada' })
    const racers = [browser(server), browser(server)]
    const answers = await Promise.all(racers.map((one) => away(one)))
    const ends = await Promise.all(racers.map((one, at) => one.send(FINISH, answers[at])))
    assert.ok(ends.map(endOf).includes('200'), ends.map(endOf).join())
    const again = await come(browser(server), { purpose: 'sign_in' })
    assert.partialDeepStrictEqual(again.body, {
      user: { name: 'Ada', role: 'guest' },
      workspace: { id: home.workspace },
    } as object)
  })

  test(`whoever is invited accepts by the company, new or known (${engine})`, async () => {
    const { server, storage, home } = await peopled()
    const owner = browser(server)
    const owners = await withPassword(storage, home, 'owner')
    await owner.send('POST /internal/session', { email: owners, password: PASSWORD })
    const email = `${sub()}@acme.example`
    const invite = async (from: One) => {
      const made = await from.send('POST /internal/invitations', { email, role: 'member' })
      return String(made.body.accept_url).split('/').at(-1)
    }
    const me = sub()
    company.become({ sub: me, email: 'somebody@else.example', email_verified: true })
    const invitation = await invite(owner)
    assert.equal(
      endOf(await come(browser(server), { purpose: 'sign_in', invitation })),
      '403 signup_disabled',
    )
    company.become({ sub: me, email, email_verified: true, name: 'Invited' })
    const joined = await come(browser(server), { purpose: 'sign_in', invitation })
    assert.equal(endOf(joined), '200')
    assert.partialDeepStrictEqual(joined.body, {
      user: { name: 'Invited', role: 'member' },
    } as object)
    const there = await newHome(storage)
    const boss = browser(server)
    const bosses = await withPassword(storage, there, 'owner')
    await boss.send('POST /internal/session', { email: bosses, password: PASSWORD })
    const second = await come(browser(server), {
      purpose: 'sign_in',
      invitation: await invite(boss),
    })
    assert.equal((second.body.workspace as { id: string }).id, there.workspace)
  })

  test(`the second factor is asked for here, too (${engine})`, async () => {
    const { server, email, verify } = await peopled()
    await verify()
    const known = browser(server)
    await known.send('POST /internal/session', { email, password: PASSWORD })
    const { codes } = await withSecondFactor(known, clock)
    company.become({ sub: sub(), email, email_verified: true })
    const one = browser(server)
    assert.equal(endOf(await come(one)), '401 second_factor_required')
    const code = { code: codes.next() }
    assert.equal(endOf(await one.send('POST /internal/session/second-factor', code)), '201')
  })

  test(`where there is no other way in, the others are closed (${engine})`, async () => {
    const { server, email, verify } = await peopled({ DOCKET_OIDC_ONLY: '1' })
    const CLOSED = '403 company_sign_in_only'
    const one = browser(server)
    const closed: [string, object][] = [
      ['POST /internal/session', { email, password: PASSWORD }],
      ['POST /internal/password-resets', { email }],
      ['POST /internal/password-resets/accept', { token: 'x', password: PASSWORD }],
      ['POST /internal/invitations/accept', { token: 'x', name: 'X', password: PASSWORD }],
      ['POST /internal/signup', {}],
    ]
    for (const [line, body] of closed) assert.equal(endOf(await one.send(line, body)), CLOSED, line)
    await verify()
    company.become({ sub: sub(), email, email_verified: true })
    assert.equal(endOf(await come(one)), '200')
    const change = { password: 'plum cake at night', current_password: PASSWORD }
    assert.equal(endOf(await one.send('PATCH /internal/account', change)), CLOSED)
    assert.equal(endOf(await one.send('PATCH /internal/account', { name: 'Renamed' })), '200')
  })
}

test('a provider that is gone is told, and not asked again by each who comes', async () => {
  const gone = await companyProvider()
  await gone.close()
  const { server } = await docketOn('sqlite', { ...OIDC, DOCKET_OIDC_ISSUER: gone.issuer })
  const all = await Promise.all(
    [1, 2, 3].map(() => browser(server).send(BEGIN, { purpose: 'sign_in' })),
  )
  assert.deepEqual(all.map(endOf), Array(3).fill('503 unavailable'))
  assert.equal(all[0]?.headers['retry-after'], '10')
  const brief = await companyProvider()
  const { server: left } = await docketOn('sqlite', { ...OIDC, DOCKET_OIDC_ISSUER: brief.issuer })
  const one = browser(left)
  const begun = await one.send(BEGIN, { purpose: 'sign_in' })
  const back = await brief.visit(String(begun.body.redirect_to))
  await brief.close()
  assert.equal(
    endOf(await one.send(FINISH, Object.fromEntries(back.searchParams))),
    '503 unavailable',
  )
  const { server: none } = await docketOn('sqlite', {})
  assert.equal(endOf(await browser(none).send(BEGIN, { purpose: 'sign_in' })), '404 not_found')
  // What is known of a provider that is there is asked once.
  const before = company.asked.filter((path) => path.includes('well-known')).length
  const { server: there } = await docketOn('sqlite', { ...OIDC, DOCKET_OIDC_NAME: 'Once' })
  for (let time = 0; time < 3; time += 1) {
    assert.equal(endOf(await browser(there).send(BEGIN, { purpose: 'sign_in' })), '200')
  }
  assert.equal(company.asked.filter((path) => path.includes('well-known')).length, before + 1)
})

const verified = commandOfAll((db, $: { id: string }) =>
  db
    .updateTable('users')
    .set((is) => ({ verified_email: is.ref('email') }))
    .where('id', '=', $.id),
)
