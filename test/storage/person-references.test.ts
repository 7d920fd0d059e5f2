import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { TABLES } from '#db/schema/tables.ts'
import { newId } from '#lib/id.ts'
import { insertInvitation } from '#resources/invitations/store.ts'
import { addMember } from '#resources/members/membership.ts'
import { createProjectRow, insertPerson } from '#resources/projects/create-project.ts'
import { insertTestPendingOperation } from '#test/support/data/pending-operation.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** For each column of a workspace, the statement that counts the rows with the id of a person. */
const COUNTS = TABLES.flatMap(([table, { people = {} }]) =>
  Object.entries(people).flatMap(([column, rule]) => {
    if (rule === undefined || rule === 'account') return []
    const kind = rule === 'ends' || rule === 'deleted' ? 'ends' : 'stays'
    const count = query((db, $: Scoped<{ user_id: string }>) =>
      db.selectNoFrom(
        sql<number>`(select count(*) from ${sql.table(table)} where workspace_id = ${$.workspace_id}
          and cast(${sql.ref(column)} as text) like '%' || cast(${$.user_id} as text) || '%')`.as(
          'count',
        ),
      ),
    )
    return [{ name: `${table}.${column}`, kind, count } as const]
  }),
)

type References = Record<'ends' | 'stays', Record<string, number>>

async function countReferences(tx: ReadTx, user_id: string): Promise<References> {
  const references: References = { ends: {}, stays: {} }
  for (const { name, kind, count } of COUNTS)
    references[kind][name] = (await tx.one(count, { user_id }))?.count ?? 0
  return references
}

const inviteAs = (tx: WriteTx, invited_by_id: string) =>
  tx.run(insertInvitation, {
    id: newId('inv'),
    email: 'a@example.com',
    role: 'member',
    project_ids: '[]',
    invited_by_id,
    hash: newId('inv'),
    created_at: tx.now,
    expires_at: '2100-01-01T00:00:00.000Z',
  })

for (const engine of ENGINES) {
  test(`a removed member who is invited again gets no former access back (${engine})`, async () => {
    const served = await openFreshDocket(engine)
    const { storage, server } = served
    const team = await createTestWorkspace(storage)
    const { member, owner } = team.people
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const { id: application_id } = await createTestApplication(served, team)
    await storage.write(actor, async (tx) => {
      const secret = { visibility: 'private', created_by_id: owner } as const
      await tx.run(insertPerson, { project_id: team.hidden, user_id: member })
      await inviteAs(tx, member)
      await insertTestGrant(tx, { in_workspace: team.workspace, user_id: member, application_id })
      await insertTestPendingOperation(tx, member)
      await createProjectRow(tx, { ...secret, name: 'Led', prefix: 'LED', lead_id: member })
    })
    const sessions = {
      owner: (await createTestSession(storage, team, 'owner')).headers,
      member: (await createTestSession(storage, team, 'member')).headers,
    }
    const send = async (role: 'owner' | 'member', line: string, payload?: object) => {
      const [method = '', url = ''] = line.split(' ')
      const headers = sessions[role]
      const reply = await server.inject({
        method: method as 'GET',
        url,
        headers,
        ...(payload && { payload }),
      })
      assert.ok(reply.statusCode < 300, `${line}: ${reply.body}`)
      return reply.body ? reply.json() : undefined
    }
    const project_id = team.project
    const task = { project_id, title: 'Theirs', assignee_ids: [member] }
    await send('owner', 'POST /api/v1/tasks', task)
    const view = { project_id, name: 'Ours', is_shared: true }
    const { id: view_id } = await send('member', 'POST /internal/views', view)
    await send('member', 'PUT /internal/views/pins', { view_ids: [view_id] })
    await send('member', 'PUT /internal/push', {
      endpoint: 'https://push.example.com/one',
      keys: { p256dh: `B${'x'.repeat(86)}`, auth: 'x'.repeat(22) },
    })
    const before = await storage.read(actor, (tx) => countReferences(tx, member))
    assert.ok(
      Object.values(before.ends).every((count) => count > 0),
      JSON.stringify(before.ends),
    )
    const since = (await readEvents(storage, team.workspace)).length

    await send('owner', `DELETE /internal/members/${member}`)
    const removed = await storage.read(actor, (tx) => countReferences(tx, member))
    assert.deepEqual(
      removed.ends,
      Object.fromEntries(Object.keys(before.ends).map((name) => [name, 0])),
    )
    const { 'audit_entries.actor_id': _, 'tombstones.user_id': __, ...stays } = removed.stays
    assert.partialDeepStrictEqual(before.stays, stays)
    const events = (await readEvents(storage, team.workspace)).slice(since)
    assert.deepEqual(
      events.map(({ type, payload }) => [type, JSON.parse(payload).data.lead_id]),
      [
        ['project.updated', null],
        ['member.removed', undefined],
      ],
    )

    // What a release left that removed the member before this was so, goes when they return.
    await storage.write(actor, async (tx) => {
      await tx.run(insertPerson, { project_id: team.hidden, user_id: member })
      await inviteAs(tx, member)
      await addMember(tx, { user_id: member, name: 'The member', role: 'member' })
    })
    const { ends } = await storage.read(actor, (tx) => countReferences(tx, member))
    assert.equal(ends['invitations.invited_by_id'], 0)
    sessions.member = (await createTestSession(storage, team, 'member')).headers
    const { data } = await send('member', 'GET /api/v1/projects')
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [project_id],
    )
  })
}
