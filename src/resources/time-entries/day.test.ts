import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

for (const engine of ENGINES) {
  test(`spent_on uses the time zone of the user, not of the actor (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { workspace, project, keys } = await createTestWorkspace(storage)
    const user_id = await storage.write(
      { ...ANONYMOUS_ACTOR, workspace_id: workspace },
      async (tx) => {
        const email = `far@${workspace.slice(4)}.example`
        const account = { email, name: 'Far', timezone: 'America/New_York' }
        const person = await ensureAccount(tx, account, NO_PASSWORD)
        await addMember(tx, { ...person, role: 'member' })
        return person.user_id
      },
    )
    const post = async (path: string, payload: object) => {
      const headers = { authorization: `Bearer ${keys.owner}` }
      const reply = await server.inject({
        method: 'POST',
        url: `/api/v1/${path}`,
        headers,
        payload,
      })
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json()
    }
    const task = await post('tasks', { project_id: project, title: 'Far' })
    const spentOn = async (started_at: string, whose?: string) => {
      const body = { started_at, duration_seconds: 60, ...(whose && { user_id: whose }) }
      return (await post(`tasks/${task.id}/time-entries`, body)).spent_on
    }

    assert.equal(await spentOn('2026-03-02T01:00:00Z'), '2026-03-02')
    assert.equal(await spentOn('2026-03-02T01:00:00Z', user_id), '2026-03-01')
    assert.equal(await spentOn('1970-01-01T01:00:00Z', user_id), '1970-01-01', 'no day is earlier')
  })
}
