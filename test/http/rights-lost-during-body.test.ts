import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { AUTH_CACHE_TTL_MS } from '#auth/authenticator.ts'
import { changeSecondFactorPolicy } from '#auth/second-factor/second-factor.ts'
import { softDeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine, WriteTx } from '#core/transaction.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { loadMemberToChange, loadMemberToRemove } from '#resources/members/load.ts'
import { changeRole, createMembership, removeMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket, type TestDocketOptions } from '../support/engines/test-docket.ts'
import { holdRequest } from '../support/server/held-request.ts'
import type { RawExchange } from '../support/server/raw-exchange.ts'
import { type PerformanceClock, stopPerformanceClock } from '../support/system/performance-clock.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { setTestPassword, TEST_PASSWORD } from '../support/world/test-password.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const setKeyScopes = command((db, $: Scoped<{ user_id: string; scopes: string }>) =>
  db.updateTable('api_keys').set({ scopes: $.scopes }).where('user_id', '=', $.user_id),
)

async function openWorkspace(
  engine: DatabaseEngine,
  clock: PerformanceClock,
  options?: TestDocketOptions,
) {
  // One of this file alone, because its tests move the clock by which it caches credentials.
  const docket = await openTestDocket(
    engine,
    { DOCKET_OPERATOR_EMAIL: 'rights@example.com' },
    options,
  )
  const { storage, server } = docket
  const team = await createTestWorkspace(storage)
  const { people, project, keys } = team
  const system = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' } as const
  const byKey = { authorization: `Bearer ${keys.member}` }
  const bySession = (await createTestSession(storage, team, 'member')).headers
  return {
    ...docket,
    team,
    people,
    project,
    byKey,
    bySession,
    /** Changes rights as another process does, and waits until this one has noticed. */
    async change(work: (tx: WriteTx) => Promise<unknown>) {
      await storage.write(system, async (tx) => {
        await work(tx)
        await bumpAuthVersion(tx)
      })
      clock.pass(AUTH_CACHE_TTL_MS + 1)
    },
    holdTask: (headers: Record<string, string>) =>
      holdRequest(
        server,
        'POST /api/v1/tasks',
        headers,
        JSON.stringify({ project_id: project, title: 'Held' }),
      ),
    async get(url: string) {
      const headers = { authorization: `Bearer ${keys.owner}` }
      return (await server.inject({ url, headers })).json()
    },
    system,
  }
}

const summarize = ({ status, body }: RawExchange['replies'][number]) =>
  `${status} ${JSON.parse(body).error?.code ?? ''}`.trim()

for (const engine of ENGINES) {
  test(`a write whose body arrives later needs the rights of that time (${engine})`, async (t) => {
    const clock = stopPerformanceClock(t)
    const outcomes: Record<string, string> = {}
    for (const [title, lose] of Object.entries<
      (of: Awaited<ReturnType<typeof openWorkspace>>, tx: WriteTx) => Promise<unknown>
    >({
      nothing: async () => {},
      scope: ({ people }, tx) =>
        tx.run(setKeyScopes, { user_id: people.member, scopes: '["tasks:read"]' }),
      membership: ({ people }, tx) => removeMember(tx, people.member),
      'second factor': (_, tx) => changeSecondFactorPolicy(tx, 'required'),
    })) {
      const opened = await openWorkspace(engine, clock)
      const held = await opened.holdTask(opened.byKey)
      const heldBySession = await opened.holdTask(opened.bySession)
      await opened.change((tx) => lose(opened, tx))
      const replies = [summarize(await held.release()), summarize(await heldBySession.release())]
      outcomes[title] = replies.join(', ')
      const { data } = await opened.get('/api/v1/tasks')
      const count = replies.filter((reply) => reply === '201').length
      assert.equal(data.length, count, title)
    }
    assert.deepEqual(outcomes, {
      nothing: '201, 201',
      scope: '403 insufficient_scope, 201',
      membership: '401 invalid_token, 401 authentication_required',
      'second factor': '201, 403 second_factor_missing',
    })
  })

  test(`a retry with the Idempotency-Key of a write needs the rights of that time (${engine})`, async (t) => {
    const { server, people, project, byKey, change, get } = await openWorkspace(
      engine,
      stopPerformanceClock(t),
    )
    const create = async () => {
      const { statusCode, headers, body } = await server.inject({
        method: 'POST',
        url: '/api/v1/tasks',
        headers: { ...byKey, 'idempotency-key': 'once' },
        payload: { project_id: project, title: 'Once' },
      })
      const { error } = JSON.parse(body)
      return `${statusCode} ${error?.code ?? headers['idempotency-replayed'] ?? 'created'}`
    }
    assert.deepEqual([await create(), await create()], ['201 created', '201 true'])
    const setScopes = (scopes: string) =>
      change((tx) => tx.run(setKeyScopes, { user_id: people.member, scopes }))
    await setScopes('["tasks:read"]')
    assert.equal(await create(), '403 insufficient_scope')
    await setScopes('["tasks:write"]')
    assert.equal(await create(), '201 true')
    await change((tx) => removeMember(tx, people.member))
    assert.equal(await create(), '401 invalid_token')
    assert.equal((await get('/api/v1/tasks')).data.length, 1)
  })

  test(`a deleted workspace accepts no write whose body arrives later (${engine})`, async (t) => {
    const { storage, team, holdTask, change } = await openWorkspace(engine, stopPerformanceClock(t))
    const { headers } = await createTestSession(storage, team, 'owner')
    const held = await holdTask(headers)
    await change(softDeleteWorkspace)
    assert.equal(summarize(await held.release()), '410 workspace_deleted')
  })

  test(`a session that changes its workspace during a request writes into neither (${engine})`, async (t) => {
    const { storage, server, people, holdTask, bySession, get } = await openWorkspace(
      engine,
      stopPerformanceClock(t),
    )
    const other = await createTestWorkspace(storage)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: other.workspace }
    const joined = { user_id: people.member, name: 'The member', role: 'owner' } as const
    await storage.write(actor, (tx) => createMembership(tx, joined))
    const held = await holdTask(bySession)
    const moved = await server.inject({
      method: 'PATCH',
      url: '/internal/session',
      headers: bySession,
      payload: { workspace_id: other.workspace },
    })
    assert.equal(moved.statusCode, 200)
    assert.equal(summarize(await held.release()), '409 session_changed')
    assert.deepEqual((await get('/api/v1/tasks')).data, [])
  })

  test(`an upload of a member who is removed meanwhile leaves no file (${engine})`, async (t) => {
    const { server, project, byKey, people, change, get } = await openWorkspace(
      engine,
      stopPerformanceClock(t),
    )
    const payload = { project_id: project, title: 'T' }
    const post = { method: 'POST', url: '/api/v1/tasks', headers: byKey, payload } as const
    const url = `/api/v1/tasks/${(await server.inject(post)).json().id}/attachments`
    const headers = { ...byKey, 'content-type': 'text/plain' }
    const holdUpload = () => holdRequest(server, `POST ${url}?filename=a`, headers, 'Hello')
    const [first, second] = [await holdUpload(), await holdUpload()]
    assert.equal((await first.release()).status, 201)
    await change((tx) => removeMember(tx, people.member))
    assert.equal(summarize(await second.release()), '401 invalid_token')
    assert.equal((await get(url)).data.length, 1)
  })

  test(`a demoted owner cannot become an owner again by a request begun before (${engine})`, async (t) => {
    const { storage, server, team, people, change, get } = await openWorkspace(
      engine,
      stopPerformanceClock(t),
    )
    await setTestPassword(storage, team, 'owner')
    await change((tx) => changeRole(tx, { id: people.admin, role: 'admin' }, 'owner'))
    const first = await createTestSession(storage, team, 'owner')
    const second = await createTestSession(storage, team, 'admin')
    const url = `/internal/members/${people.owner}`
    const body = JSON.stringify({ role: 'owner', current_password: TEST_PASSWORD })
    const held = await holdRequest(server, `PATCH ${url}`, first.headers, body)
    const { headers } = second
    const demoted = await server.inject({
      method: 'PATCH',
      url,
      headers,
      payload: { role: 'member' },
    })
    assert.equal(demoted.statusCode, 200)
    assert.equal(summarize(await held.release()), '403 insufficient_role')
    const { data } = await get('/api/v1/workspace/members?role=owner')
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [people.admin],
    )
  })

  test(`a change of a member is decided by the role that the actor has in its transaction (${engine})`, async (t) => {
    const { storage, people, system } = await openWorkspace(engine, stopPerformanceClock(t))
    // Another process has taken away the role that this one has cached.
    const stale = { ...system, type: 'user', user_id: people.member } as const
    const params = { id: people.guest }
    const attempts = [loadMemberToChange, loadMemberToRemove].map((load) =>
      storage.write(stale, (tx) => load(tx, { params, body: { role: 'admin' } })),
    )
    for (const attempt of attempts) await assert.rejects(attempt, { code: 'insufficient_role' })
    const fresh = { ...system, type: 'user', user_id: people.owner, role: 'guest' } as const
    const member = await storage.write(fresh, (tx) => loadMemberToRemove(tx, { params }))
    assert.equal(member.id, people.guest)
  })

  test(`a body that arrives later counts once for the rate limit (${engine})`, async (t) => {
    // No minute turns between the requests.
    const { server, holdTask, byKey } = await openWorkspace(engine, stopPerformanceClock(t), {
      clock: createTestClock(),
    })
    const count = async () => {
      const { headers } = await server.inject({ url: '/api/v1/me', headers: byKey })
      return Number(headers['x-ratelimit-remaining'])
    }
    const before = await count()
    assert.equal((await (await holdTask(byKey)).release()).status, 201)
    assert.equal(before - (await count()), 2)
  })
}
