import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/actor.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { type ChangePage, listChanges } from './contract.ts'

for (const engine of ENGINES) {
  test(`a new name puts the member and the comments again (${engine})`, async () => {
    const { storage, server, config } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
    const bearer = { authorization: `Bearer ${team.keys.owner}` }
    const post = async (url: string, payload: object) =>
      (await server.inject({ method: 'POST', url, headers: bearer, payload })).json().id
    const comments: string[] = []
    for (const project_id of [team.project, team.hidden]) {
      const task = await post('/api/v1/tasks', { project_id, title: 'a' })
      for (const body of ['one', 'two'])
        comments.push(await post(`/api/v1/tasks/${task}/comments`, { body }))
    }
    const get = async (query: string, role: Role): Promise<ChangePage> =>
      (
        await server.inject({
          url: listChanges.path + query,
          headers: { authorization: `Bearer ${team.keys[role]}` },
        })
      ).json()
    const positions = {
      owner: (await get('?after=now', 'owner')).position,
      guest: (await get('?after=now', 'guest')).position,
    }
    await server.inject({
      method: 'PATCH',
      url: '/internal/account',
      headers,
      payload: { name: 'Ada' },
    })
    const told = async (role: 'owner' | 'guest', limit: number) => {
      const ids: string[] = []
      for (let [after, more] = [positions[role], true]; more; ) {
        const page = await get(`?after=${after}&limit=${limit}`, role)
        ids.push(...page.data.map(({ id }) => id))
        after = page.position
        more = page.has_more
      }
      return ids
    }
    const { owner } = team.people
    assert.deepEqual(await told('owner', 200), [...comments, owner])
    assert.deepEqual(await told('owner', 1), [...comments, owner])
    assert.deepEqual(await told('guest', 200), [...comments.slice(0, 2), owner])
  })
}
