import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { ensureAccount, NO_PASSWORD } from '#identity/account.ts'
import { addMember } from '#resources/members/membership.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'

for (const engine of ENGINES) {
  test(`time counts for the day where the person lives, not where it is logged (${engine})`, async () => {
    const { storage, server } = await docketOn(engine)
    const { workspace, project, keys } = await newHome(storage)
    const user_id = await storage.write({ ...NOBODY, workspace_id: workspace }, async (tx) => {
      const email = `far@${workspace.slice(4)}.example`
      const account = { email, name: 'Far', timezone: 'America/New_York' }
      const person = await ensureAccount(tx, account, NO_PASSWORD)
      await addMember(tx, { ...person, role: 'member' })
      return person.user_id
    })
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
