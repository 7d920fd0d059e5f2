import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOAuthApplication } from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { COMMAND_LINE_APPLICATION_ID } from '#db/access/oauth-grants.ts'
import { abandonWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { removeMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { findGrantRemains, insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { recordChanges } from '#test/support/scenario/recorded-changes.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { listStep, rejectedStep } from '#test/support/scenario/steps.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Role } from '#wire/rights.ts'

const GRANTS = '/internal/grants'
const PAST = '2020-01-01T00:00:00.000Z'
const member = { as: 'member session' } as const

/** Grants of the command line: two of the member, and others that the member must not see. */
const prepare: NonNullable<ScenarioStep['prepare']> = async (tx, known) => {
  const of = (role: string, more: object = {}) =>
    insertTestGrant(tx, {
      in_workspace: known.workspace ?? '',
      user_id: known[role] ?? '',
      application_id: COMMAND_LINE_APPLICATION_ID,
      ...more,
    })
  known.first = await of('member', { scopes: ['tags:read', 'tasks:read'] })
  known.second = await of('member')
  known.begun = await of('member', { hasToken: false })
  known.over = await of('member', { expires_at: PAST })
  known.owners = await of('owner')
}

scenario('users list and revoke the grants of applications', [
  listStep(GRANTS, ['first', 'second'], {
    ...member,
    prepare,
    reply: {
      data: [
        {
          application: { id: COMMAND_LINE_APPLICATION_ID, name: 'Docket command line' },
          scopes: ['tags:read', 'tasks:read'],
          last_used_at: null,
        },
        {},
      ],
    },
  }),
  listStep(GRANTS, ['owners'], { as: 'session' }),
  { send: `GET ${GRANTS}?limit=1`, ...member, status: 200, keep: { cursor: 'next_cursor' } },
  listStep(`${GRANTS}?cursor={cursor}`, ['second'], member),
  rejectedStep(`DELETE ${GRANTS}/{first}`, 404, 'not_found', { as: 'session' }),
  rejectedStep(`DELETE ${GRANTS}/{over}`, 404, 'not_found', member),
  { send: `DELETE ${GRANTS}/{first}`, ...member, status: 204 },
  rejectedStep(`DELETE ${GRANTS}/{first}`, 404, 'not_found', member),
  listStep(GRANTS, ['second'], member),
])

const WANTED = {
  name: 'Reports',
  description: null,
  homepage_url: null,
  ...({ type: 'public', distribution: 'public' } as const),
  redirect_uris: ['https://a.example/cb'],
  scopes: ['tasks:read'] as const,
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server, config } = await openTestDocket(engine)
    const [team, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const within = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: team.workspace } as const
    const application = () =>
      storage.write(within, async (tx) => {
        const made = await createOAuthApplication(tx, {
          ...WANTED,
          created_by_id: team.people.owner,
        })
        return made.id
      })
    const grant = (application_id: string, { workspace, people }: TestWorkspace, role: Role) =>
      storage.write(ANONYMOUS_ACTOR, (tx) =>
        insertTestGrant(tx, { in_workspace: workspace, user_id: people[role], application_id }),
      )
    const left = (...ids: string[]) =>
      storage.read(ANONYMOUS_ACTOR, async (tx) => {
        const found = []
        for (const id of ids) found.push(await findGrantRemains(tx, id))
        return found.map(([is, hasToken]) => {
          assert.equal(is, hasToken)
          return is
        })
      })
    const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
    const send = async (method: 'GET' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const asked = { method, url: `/internal/apps/${url}`, headers }
      const reply = await server.inject({ ...asked, ...(payload && { payload }) })
      assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.statusCode} ${reply.body}`)
      return reply.body ? reply.json() : undefined
    }
    return { storage, within, team, other, application, grant, left, send }
  }

  test(`a grant ends when its application is deleted or becomes private to another workspace (${engine})`, async () => {
    const { storage, team, other, application, grant, left, send } = await setUp()
    const { hints, close } = recordChanges(storage, team.workspace)
    const id = await application()
    const [here, own, there] = [
      await grant(id, team, 'member'),
      await grant(id, team, 'owner'),
      await grant(id, other, 'member'),
    ]
    const { data } = await send('GET', `${id}/grants`)
    assert.partialDeepStrictEqual(data, [
      { id: here, user: { id: team.people.member, name: 'The member' }, scopes: ['tasks:read'] },
      { id: own, user: { id: team.people.owner } },
    ])
    assert.equal(data.length, 2)
    await send('PATCH', id, { name: 'Others' })
    assert.deepEqual(await left(here, there), [true, true])
    await send('PATCH', id, { distribution: 'private' })
    assert.deepEqual(await left(here, there), [true, false])
    const before = hints.length
    await send('DELETE', id)
    assert.deepEqual(await left(here, own), [false, false])
    // The grants end together, in no order.
    assert.deepEqual(
      hints
        .slice(before)
        .map(({ hint, only_for }) => [hint.noun, hint.id, only_for].join(' '))
        .toSorted(),
      [
        `application ${id} `,
        `grant ${here} ${team.people.member}`,
        `grant ${own} ${team.people.owner}`,
      ].toSorted(),
    )
    close()
  })

  test(`removing a member and abandoning a workspace end the grants (${engine})`, async () => {
    const { storage, within, team, other, application, grant, left } = await setUp()
    const id = await application()
    const [gone, stays, elsewhere] = [
      await grant(id, team, 'member'),
      await grant(COMMAND_LINE_APPLICATION_ID, team, 'admin'),
      await grant(id, other, 'member'),
    ]
    await storage.write(within, (tx) => removeMember(tx, team.people.member))
    assert.deepEqual(await left(gone, stays, elsewhere), [false, true, true])
    await storage.write(ANONYMOUS_ACTOR, (tx) => abandonWorkspace(tx, team.workspace))
    assert.deepEqual(await left(stays, elsewhere), [false, false])
  })
}
