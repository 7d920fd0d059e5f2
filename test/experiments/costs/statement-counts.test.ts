import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, createUserActor } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { observeStatements } from '#test/support/engines/observe-statements.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

test('a new task takes six statements, and a change of one field at most five', async () => {
  const { storage } = await openTestDocket('sqlite')
  const { workspace, project, people } = await createTestWorkspace(storage)
  const actor: Actor = { ...createUserActor(people.owner, workspace), role: 'owner' }
  const countStatements = async <T>(work: (tx: WriteTx) => Promise<T>) => {
    let count = 0
    const note = () => {
      count += 1
    }
    const result = await storage.write(actor, (tx) => work(observeStatements(tx, note)))
    return { count, result }
  }
  const input = { project_id: project, title: 'Export fails', external_source: 'a' }
  const plain = await countStatements((tx) =>
    createTaskFromInput(tx, { project_id: project, title: 'Export fails' }),
  )
  assert.equal(plain.count, 6)
  const { result } = await countStatements((tx) =>
    createTaskFromInput(tx, { ...input, external_id: 'b' }),
  )
  const update = (changes: Parameters<typeof updateLoadedTask>[2]) =>
    countStatements(async (tx) =>
      updateLoadedTask(tx, await loadTaskToWrite(tx, result.id), changes),
    )
  assert.equal((await update({ title: 'Import fails' })).count, 5)
  assert.equal((await update({ priority: 'high' })).count, 4)
  assert.equal((await update({ external_id: 'c' })).count, 5, 'another task may have this id')
})
