import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import type { DatabaseEngine, WriteTx } from '#core/transaction.ts'
import { copyTaskRows } from '#test/support/data/copied-tasks.ts'
import { observeStatements } from '#test/support/engines/observe-statements.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { loadTaskToWrite } from '../load.ts'
import { removeLoadedTask } from './remove.ts'
import { updateLoadedTask } from './update.ts'

/** A task with a subtask, of whose row `copy` makes more subtasks. */
async function createTree(engine: DatabaseEngine, subtask: object) {
  const { storage, team, request, send } = await openTestClient(engine)
  const create = async (fields: object): Promise<string> =>
    (await send('POST /api/v1/tasks', { project_id: team.project, title: 'Task', ...fields })).id
  const top = await create({})
  const child = await create({ parent_id: top, ...subtask })
  const copy = (count: number) => copyTaskRows(storage, team.workspace, child, { series: 1, count })
  return { storage, team, request, send, top, child, copy }
}

for (const engine of ENGINES) {
  test(`deletes and moves at most 1,000 subtasks with a task (${engine})`, async () => {
    const { storage, team, request, send, top, child, copy } = await createTree(engine, {})
    await copy(1_000)
    const move = { project_id: team.hidden }
    for (const reply of [
      await request(`DELETE /api/v1/tasks/${top}`),
      await request(`PATCH /api/v1/tasks/${top}`, move),
    ]) {
      assert.equal(reply.status, 409)
      const { code, message } = reply.body.error
      assert.equal(code, 'limit_reached')
      assert.match(message, /^A task with more than 1000 subtasks cannot be (deleted|moved)\.$/)
    }
    await send(`DELETE /api/v1/tasks/${child}`)
    const countEvents = async () => (await readEvents(storage, team.workspace)).length
    const before = await countEvents()
    await send(`PATCH /api/v1/tasks/${top}`, move)
    assert.equal((await countEvents()) - before, 1_001)
    await send(`DELETE /api/v1/tasks/${top}`)
    assert.equal((await countEvents()) - before, 2_002)
    await send(`POST /api/v1/tasks/${top}/restore`)
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
