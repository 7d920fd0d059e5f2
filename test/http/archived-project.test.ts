import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

for (const engine of ENGINES) {
  test(`an archived project is read-only (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { workspace, project, keys } = await createTestWorkspace(storage)
    const ask = async (line: string, body?: object) => {
      const [method = '', path = ''] = line.split(' ')
      const reply = await server.inject({
        method: method as 'GET',
        url: `/api/v1/${path}`,
        headers: { authorization: `Bearer ${keys.owner}` },
        ...(body && { payload: body }),
      })
      return { status: reply.statusCode, body: reply.body ? reply.json() : undefined }
    }
    const create = async (line: string, body: object): Promise<string> => {
      const reply = await ask(line, body)
      assert.equal(reply.status, 201, JSON.stringify(reply.body))
      return reply.body.id
    }
    const task = await create('POST tasks', { project_id: project, title: 'Old' })
    const comment = await create(`POST tasks/${task}/comments`, { body: 'Old' })
    const timer = await create(`POST tasks/${task}/time-entries`, { running: true })
    const tag = await create(`POST projects/${project}/tags`, { name: 'Old' })
    const owner: Actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace, role: 'owner' }
    await storage.write(owner, (tx) => changeProject(tx, project, { archived: true }))

    const stopped = await ask(`GET time-entries/${timer}`)
    assert.equal(stopped.status, 200)
    assert.equal(stopped.body.is_running, false, 'archiving stops the timers')
    assert.equal((await ask(`GET tasks/${task}`)).body.time_spent_seconds, 1)

    const writes: [line: string, body?: object][] = [
      [`POST tasks/${task}/comments`, { body: 'New' }],
      [`PATCH comments/${comment}`, { body: 'New' }],
      [`DELETE comments/${comment}`],
      [`POST tasks/${task}/time-entries`, { duration_seconds: 60 }],
      [`PATCH time-entries/${timer}`, { note: 'New' }],
      [`DELETE time-entries/${timer}`],
      [`POST projects/${project}/tags`, { name: 'New' }],
      [`PATCH tags/${tag}`, { name: 'New' }],
      [`DELETE tags/${tag}`],
    ]
    for (const [line, body] of writes) {
      const reply = await ask(line, body)
      assert.equal(reply.status, 409, line)
      assert.equal(reply.body.error.code, 'project_archived', line)
    }
    const invalidWrites: [line: string, body: object][] = [
      [`POST tasks/${task}/comments`, { body: 'x', parent_id: `cmt_${'0'.repeat(26)}` }],
      [
        `POST tasks/${task}/time-entries`,
        { duration_seconds: 60, user_id: `usr_${'0'.repeat(26)}` },
      ],
      [`PATCH time-entries/${timer}`, { running: true }],
    ]
    for (const [line, body] of invalidWrites)
      assert.equal((await ask(line, body)).status, 422, line)
    for (const path of [`comments/${comment}`, `tasks/${task}/comments`, `tags/${tag}`]) {
      assert.equal((await ask(`GET ${path}`)).status, 200, path)
    }
  })
}
