import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, createUserActor } from '#core/actor.ts'
import { newId } from '#lib/id.ts'
import { insertTemplate, templateById } from '#resources/templates/store.ts'
import { observeStatements } from '#test/support/engines/observe-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { replaceInTemplates } from './replace-in-templates.ts'

const TAG = 'tag_01k2m3n4p5q6r7s8t9v0w1x2y3'
const OTHER = 'tag_01k2m3n4p5q6r7s8t9v0w1x2y4'

for (const engine of ENGINES) {
  // All of them in one statement would hold the event loop on SQLite for half a second.
  test(`reads the text of one template in a statement, on ${engine}`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, project, hidden, people } = await createTestWorkspace(storage)
    const actor: Actor = { ...createUserActor(people.owner, workspace), role: 'owner' }
    const insert = (project_id: string, tag_ids: string[]) =>
      storage.write(actor, async (tx) => {
        const id = newId('tpl', tx.nowMs)
        const about = { name: id, created_by_id: people.owner, task_count: 1 }
        const times = { created_at: tx.now, updated_at: tx.now }
        const tasks = JSON.stringify([{ title: 'Release', tag_ids }])
        await tx.run(insertTemplate, { id, project_id, tasks, ...about, ...times })
        return id
      })
    for (let n = 0; n < 3; n += 1) await insert(project, [OTHER])
    const template = await insert(project, [TAG])
    const templateOfHidden = await insert(hidden, [TAG])

    let statements = 0
    const note = () => {
      statements += 1
    }
    await storage.write(actor, (tx) =>
      replaceInTemplates(observeStatements(tx, note), { id: TAG, project_id: project }, OTHER),
    )
    assert.equal(statements, 6, 'the list, four templates, and the change of one')
    const tagsOf = (id: string) =>
      storage.read(actor, async (tx) => {
        const tasks = JSON.parse((await tx.one(templateById, { id }))?.tasks ?? '[]')
        return tasks[0].tag_ids
      })
    assert.deepEqual(await tagsOf(template), [OTHER])
    assert.deepEqual(await tagsOf(templateOfHidden), [TAG])
  })
}
