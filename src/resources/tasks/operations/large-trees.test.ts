import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import type { DatabaseEngine, WriteTx } from '#core/transaction.ts'
import { copyTaskRows } from '#test/support/data/copied-tasks.ts'
import { observeStatements } from '#test/support/engines/observe-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { loadTaskToWrite } from '../load.ts'
import { removeLoadedTask } from './remove.ts'
import { updateLoadedTask } from './update.ts'

/** A task with a subtask, of whose row `copy` makes more subtasks. */
async function createTree(engine: DatabaseEngine, subtask: object) {
  const { storage, server } = await openTestDocket(engine)
  const team = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  const send = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    server.inject({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) })
  const create = async (fields: object) => {
    const task = { project_id: team.project, title: 'Task', ...fields }
    return (await send('POST', '/tasks', task)).json().id as string
  }
  const top = await create({})
  const child = await create({ parent_id: top, ...subtask })
  const copy = (count: number) => copyTaskRows(storage, team.workspace, child, { series: 1, count })
  return { storage, team, send, top, child, copy }
}

for (const engine of ENGINES) {
  test(`deletes and moves at most 1,000 subtasks with a task (${engine})`, async () => {
    const { storage, team, send, top, child, copy } = await createTree(engine, {})
    await copy(1_000)
    const move = { project_id: team.hidden }
    for (const reply of [
      await send('DELETE', `/tasks/${top}`),
      await send('PATCH', `/tasks/${top}`, move),
    ]) {
      assert.equal(reply.statusCode, 409, reply.body)
      const { code, message } = reply.json().error
      assert.equal(code, 'limit_reached')
      assert.match(message, /^A task with more than 1000 subtasks cannot be (deleted|moved)\.$/)
    }
    assert.equal((await send('DELETE', `/tasks/${child}`)).statusCode, 204)
    const countEvents = async () => (await readEvents(storage, team.workspace)).length
    const before = await countEvents()
    assert.equal((await send('PATCH', `/tasks/${top}`, move)).statusCode, 200)
    assert.equal((await countEvents()) - before, 1_001)
    assert.equal((await send('DELETE', `/tasks/${top}`)).statusCode, 204)
    assert.equal((await countEvents()) - before, 2_002)
    assert.equal((await send('POST', `/tasks/${top}/restore`)).statusCode, 200)
    assert.equal((await countEvents()) - before, 3_003)
  })
}

test('refuses to delete or move a tree of too many bytes before anything is written', async () => {
  const description = '\u{1F600}'.repeat(65_536)
  const { storage, team, top, copy } = await createTree('sqlite', { description })
  await copy(64)
  const actor = { ...createUserActor(team.people.owner, team.workspace), role: 'owner' as const }
  for (const work of [
    async (tx: WriteTx) => removeLoadedTask(tx, await loadTaskToWrite(tx, top)),
    async (tx: WriteTx) => {
      await updateLoadedTask(tx, await loadTaskToWrite(tx, top), { project_id: team.hidden })
    },
  ])
    await assert.rejects(
      storage.write(actor, (tx) => work(observeStatements(tx, assert.fail, ['run', 'runEach']))),
      { code: 'limit_reached' },
    )
})
