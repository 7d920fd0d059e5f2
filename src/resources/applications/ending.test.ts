import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY, type Role } from '#core/actor.ts'
import { createApplication } from '#identity/applications.ts'
import { removeMember } from '#resources/members/membership.ts'
import { abandonWorkspace } from '#storage/abandoned.ts'
import { COMMAND_LINE } from '#storage/oauth.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { allowed, leftOf } from '#test/support/grant.ts'
import { hear } from '#test/support/heard.ts'
import { type Home, newHome } from '#test/support/home.ts'
import { sessionOf } from '#test/support/session.ts'

const WANTED = {
  ...{ name: 'Reports', description: null, homepage_url: null },
  ...({ type: 'public', distribution: 'public' } as const),
  ...{ redirect_uris: ['https://a.example/cb'], scopes: ['tasks:read'] as const },
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server, config } = await docketOn(engine)
    const [home, other] = [await newHome(storage), await newHome(storage)]
    const within = { ...NOBODY, role: 'owner', workspace_id: home.workspace } as const
    const application = () =>
      storage.write(within, async (tx) => {
        const made = await createApplication(tx, { ...WANTED, created_by_id: home.people.owner })
        return made.id
      })
    const grant = (application_id: string, { workspace, people }: Home, role: Role) =>
      storage.write(NOBODY, (tx) =>
        allowed(tx, { in_workspace: workspace, user_id: people[role], application_id }),
      )
    const left = (...ids: string[]) =>
      storage.read(NOBODY, async (tx) => {
        const found = []
        for (const id of ids) found.push(await leftOf(tx, id))
        return found.map(([is, hasToken]) => {
          assert.equal(is, hasToken)
          return is
        })
      })
    const { headers } = await sessionOf(storage, home, 'owner', config.baseUrl)
    const send = async (method: 'GET' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const asked = { method, url: `/internal/apps/${url}`, headers }
      const reply = await server.inject({ ...asked, ...(payload && { payload }) })
      assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.statusCode} ${reply.body}`)
      return reply.body ? reply.json() : undefined
    }
    return { storage, within, home, other, application, grant, left, send }
  }

  test(`a grant ends with its application, or with what allowed it (${engine})`, async () => {
    const { storage, home, other, application, grant, left, send } = await setUp()
    const { heard, close } = hear(storage, home.workspace)
    const id = await application()
    const [here, own, there] = [
      await grant(id, home, 'member'),
      await grant(id, home, 'owner'),
      await grant(id, other, 'member'),
    ]
    const { data } = await send('GET', `${id}/grants`)
    assert.partialDeepStrictEqual(data, [
      { id: here, user: { id: home.people.member, name: 'The member' }, scopes: ['tasks:read'] },
      { id: own, user: { id: home.people.owner } },
    ])
    assert.equal(data.length, 2)
    await send('PATCH', id, { name: 'Others' })
    assert.deepEqual(await left(here, there), [true, true])
    await send('PATCH', id, { distribution: 'private' })
    assert.deepEqual(await left(here, there), [true, false])
    await send('DELETE', id)
    assert.deepEqual(await left(here, own), [false, false])
    await new Promise(setImmediate)
    const told = heard.filter(({ notice }) => notice.op === 'delete')
    assert.deepEqual(
      told.map(({ notice, only_for }) => [notice.noun, notice.id, only_for]),
      [
        ['application', id, ''],
        ['grant', here, home.people.member],
        ['grant', own, home.people.owner],
      ],
    )
    close()
  })

  test(`who leaves a workspace leaves no grant there, and nobody one that is given up (${engine})`, async () => {
    const { storage, within, home, other, application, grant, left } = await setUp()
    const id = await application()
    const [gone, stays, elsewhere] = [
      await grant(id, home, 'member'),
      await grant(COMMAND_LINE, home, 'admin'),
      await grant(id, other, 'member'),
    ]
    await storage.write(within, (tx) => removeMember(tx, home.people.member))
    assert.deepEqual(await left(gone, stays, elsewhere), [false, true, true])
    await storage.write(NOBODY, (tx) => abandonWorkspace(tx, home.workspace))
    assert.deepEqual(await left(stays, elsewhere), [false, false])
  })
}
