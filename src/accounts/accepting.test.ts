import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { join } from '#resources/members/membership.ts'
import { query, queryOfAll, type Scoped } from '#storage/statement.ts'
import { PASSWORD, withPassword } from '#test/support/account.ts'
import { browser, endOf } from '#test/support/browser.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { eventsOf } from '#test/support/scenario.ts'

const POST = 'POST /internal/invitations'

for (const engine of ENGINES) {
  const invite = async () => {
    const docket = await docketOn(engine)
    const { storage, server } = docket
    const [home, other] = [await newHome(storage), await newHome(storage)]
    const email = await withPassword(storage, other, 'member')
    const signedIn = async (where: typeof home) => {
      const owner = browser(server)
      const own = await withPassword(storage, where, 'owner')
      await owner.send('POST /internal/session', { email: own, password: PASSWORD })
      return owner
    }
    const tokenBy = async (by: ReturnType<typeof browser>, to: string) => {
      const { body } = await by.send(POST, { email: to, role: 'admin' })
      return String(body.accept_url).split('/').at(-1)
    }
    const owner = await signedIn(home)
    const token = (to = email) => tokenBy(owner, to)
    const tokenOf = async (where: typeof home, to: string) => tokenBy(await signedIn(where), to)
    const kinds = async () => (await eventsOf(storage, home.workspace)).map(({ type }) => type)
    return { ...docket, home, other, email, owner, token, tokenOf, kinds }
  }
  const tries = (who: ReturnType<typeof browser>, body: object) => who.send(`${POST}/accept`, body)

  test(`the link alone never opens an account that is there (${engine})`, async () => {
    const { server, storage, home, other, owner, token, kinds } = await invite()
    const link = await token()
    const one = browser(server)
    const told = await one.send(`${POST}/lookup`, { token: link })
    assert.deepEqual(told.body.has_account, true)
    const no = '401 invalid_credentials'
    assert.equal(endOf(await tries(one, { token: link })), no)
    assert.equal(
      endOf(await tries(one, { token: link, name: 'X', password: 'plum tart at 9' })),
      no,
    )
    // The session of somebody else does not help.
    assert.equal(endOf(await tries(owner, { token: link })), no)
    assert.equal(one.jar.size, 0)
    assert.deepEqual(await kinds(), [])

    const joined = await tries(one, { token: link, password: PASSWORD })
    assert.equal(endOf(joined), '201')
    const { user, workspace, workspaces } = joined.body as Record<string, { id: string }>
    assert.deepEqual([user?.id, workspace?.id], [other.people.member, home.workspace])
    assert.equal((workspaces as unknown as []).length, 2)
    assert.deepEqual(await kinds(), ['member.added'])
    const [event] = await eventsOf(storage, home.workspace)
    const { actor } = JSON.parse(event?.payload ?? '{}')
    assert.deepEqual(actor, {
      type: 'user',
      user_id: other.people.member,
      name: 'The member',
      credential_id: null,
    })
  })

  test(`who is signed in accepts without a password (${engine})`, async () => {
    const { server, home, email, token, kinds } = await invite()
    const one = browser(server)
    await one.send('POST /internal/session', { email, password: PASSWORD })
    const link = await token()
    const joined = await tries(one, { token: link })
    assert.deepEqual(endOf(joined), '201')
    assert.equal((joined.body.workspace as { id: string }).id, home.workspace)
    assert.equal(endOf(await one.send('GET /internal/session')), '200')
    assert.deepEqual(await kinds(), ['member.added'])
    assert.equal(endOf(await tries(one, { token: link })), '404 not_found')
  })

  test(`who became a member in another way is told so (${engine})`, async () => {
    const { server, storage, home, other, token, kinds } = await invite()
    const link = await token()
    const known = { user_id: other.people.member, name: 'The member', role: 'guest' } as const
    const actor = { ...NOBODY, workspace_id: home.workspace }
    await storage.write(actor, (tx) => join(tx, known))
    const body = { token: link, password: PASSWORD }
    for (let times = 0; times < 2; times++) {
      assert.equal(endOf(await tries(browser(server), body)), '409 already_member')
    }
    assert.deepEqual(await kinds(), [])
  })

  test(`of two who accept one link at once one comes in (${engine})`, async () => {
    const { server, storage, home, other, token, tokenOf } = await invite()
    const fresh_email = `both@${home.workspace.slice(4)}.example`
    const ends = async (bodies: object[]) =>
      (await Promise.all(bodies.map((body) => tries(browser(server), body)))).map(endOf).toSorted()
    const fresh = await token(`fresh@${home.workspace.slice(4)}.example`)
    const asNew = ['A', 'B', 'C'].map((name) => ({ token: fresh, name, password: PASSWORD }))
    assert.deepEqual(await ends(asNew), ['201', '404 not_found', '404 not_found'])
    // Two workspaces invite a new address: the second one finds the account that the first has made.
    const [here, there] = [await token(fresh_email), await tokenOf(other, fresh_email)]
    const twice = [
      { token: here, name: 'Here', password: PASSWORD },
      { token: there, name: 'There', password: `${PASSWORD} there` },
    ]
    assert.deepEqual(await ends(twice), ['201', '401 invalid_credentials'])
    const link = await token()
    const asKnown = Array(2).fill({ token: link, password: PASSWORD })
    assert.deepEqual(await ends(asKnown), ['201', '404 not_found'])
    for (const { workspace } of [home, other]) {
      const rows = await storage.read({ ...NOBODY, workspace_id: workspace }, (tx) =>
        tx.all(membersOf, {}),
      )
      const events = (await eventsOf(storage, workspace)).map(({ type }) => type)
      assert.deepEqual(events, Array(rows.length - 4).fill('member.added'))
    }
    const accounts = await storage.read(NOBODY, (tx) =>
      tx.all(accountsWith, { email: fresh_email }),
    )
    assert.equal(accounts.length, 1)
  })

  test(`guessing at an account by its link is throttled (${engine})`, async () => {
    const { server, token } = await invite()
    const link = await token()
    const guesses = Array.from({ length: 14 }, (_, at) => ({
      token: link,
      password: `a wrong guess ${at}`,
    }))
    const ends: string[] = []
    for (const body of guesses) ends.push(endOf(await tries(browser(server), body)))
    assert.deepEqual(
      ends,
      guesses.map((_, at) => (at < 10 ? '401 invalid_credentials' : '429 too_many_attempts')),
    )
    const right = await tries(browser(server), { token: link, password: PASSWORD })
    assert.equal(endOf(right), '429 too_many_attempts')
  })
}

const accountsWith = queryOfAll((db, $: { email: string }) =>
  db.selectFrom('users').select('id').where('email', '=', $.email),
)

const membersOf = query((db, $: Scoped) =>
  db.selectFrom('memberships').select('user_id').where('workspace_id', '=', $.workspace_id),
)
