import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { resolveMentions } from './operations.ts'

scenario('mentions each named member with access once', [
  CREATE_TASK_STEP,
  {
    send: 'POST /api/v1/tasks/{task}/comments',
    body: {
      body: '<@{guest}> <@usr_01k2m3n4p5q6r7s8t9v0w1x2y3> @{admin} <@{member}> <@{guest}> <@usr_1>',
    },
    status: 201,
    keep: { comment: 'id' },
    events: ['comment.created'],
    check: ({ body }, { guest, member }) =>
      assert.deepEqual((body as { mentions: string[] }).mentions, [guest, member]),
  },
  {
    send: 'PATCH /api/v1/comments/{comment}',
    body: { body: '<@{admin}>' },
    status: 200,
    events: ['comment.updated'],
    check: ({ body }, { admin }) =>
      assert.deepEqual((body as { mentions: string[] }).mentions, [admin]),
  },
  {
    send: 'PATCH /api/v1/comments/{comment}',
    body: {
      body: 'Run `ssh <@{admin}>`:\n\n~~~\n<@{member}>\n~~~\n\n    <@{member}>\n\n<@{guest}>',
    },
    status: 200,
    events: ['comment.updated'],
    check: ({ body }, { guest }) =>
      assert.deepEqual((body as { mentions: string[] }).mentions, [guest]),
  },
  createTaskStep('secret', { project_id: '{hidden}', title: 'Secret' }),
  {
    send: 'POST /api/v1/tasks/{secret}/comments',
    body: { body: '<@{member}> <@{admin}>' },
    status: 201,
    events: ['comment.created'],
    check: ({ body }, { admin }) =>
      assert.deepEqual((body as { mentions: string[] }).mentions, [admin]),
  },
])

for (const engine of ENGINES) {
  test(`a text mentions at most the first 50 members with access (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, project, people } = await createTestWorkspace(storage)
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      const named = [people.owner]
      for (let serial = 0; serial < 50; serial++) {
        const email = `${serial}@${workspace.slice(4)}.example`
        const account = { email, name: `Nº ${serial}`, timezone: 'UTC' }
        const person = await ensureAccount(tx, account, NO_PASSWORD)
        await addMember(tx, { ...person, role: 'member' })
        named.unshift(person.user_id)
      }
      const text = ['<@usr_01k2m3n4p5q6r7s8t9v0w1x2y3>', ...named.map((id) => `<@${id}>`)].join('')
      assert.deepEqual(await resolveMentions(tx, project, text), named.slice(0, 50))
    })
  })
}
