import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, createUserActor } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { observeStatements } from '#test/support/engines/observe-statements.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { loadTaskToWrite } from '../load.ts'
import { createTaskFromInput } from './create.ts'
import { removeLoadedTask } from './remove.ts'
import { updateLoadedTask } from './update.ts'

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

test('a tree that is too large to be moved or deleted is refused before anything is written', async () => {
  const { storage } = await openTestDocket('sqlite')
  const { workspace, project, hidden, people } = await createTestWorkspace(storage)
  const actor: Actor = { ...createUserActor(people.owner, workspace), role: 'owner' }
  const create = (fields: object) =>
    storage.write(actor, (tx) =>
      createTaskFromInput(tx, { project_id: project, title: 'Long', ...fields }),
    )
  const { id } = await create({})
  const description = '\u{1F600}'.repeat(65_536)
  for (let count = 0; count < 65; count += 1) await create({ parent_id: id, description })
  for (const work of [
    async (tx: WriteTx) => removeLoadedTask(tx, await loadTaskToWrite(tx, id)),
    async (tx: WriteTx) => {
      await updateLoadedTask(tx, await loadTaskToWrite(tx, id), { project_id: hidden })
    },
  ])
    await assert.rejects(
      storage.write(actor, (tx) => work(observeStatements(tx, assert.fail, ['run', 'runEach']))),
      { code: 'limit_reached' },
    )
})
