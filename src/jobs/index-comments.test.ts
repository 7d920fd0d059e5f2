import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { saveCommentWordsProgress } from '#db/tasks/comment-words.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { indexComments } from './index-comments.ts'

/** Deletes all words, as before comments were indexed. */
const forgetWords = unscopedCommand((db, _: object) =>
  db.deleteFrom('comment_words').where(sql<boolean>`1 = 1`),
)

const countWords = unscopedQuery((db) =>
  db.selectFrom('comment_words').select((is) => is.fn.countAll().as('count')),
)

for (const engine of ENGINES) {
  test(`finds older comments once they are indexed (${engine})`, async () => {
    const { storage, server, config } = await openFreshDocket(engine)
    const [one, other] = [await createTestWorkspace(storage), await createTestWorkspace(storage)]
    const post = async (home: typeof one, url: string, payload: object) => {
      const headers = { authorization: `Bearer ${home.keys.owner}` }
      const reply = await server.inject({ method: 'POST', url: `/api/v1/${url}`, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json().id as string
    }
    const fill = async (home: typeof one, comments: number) => {
      const task = await post(home, 'tasks', { project_id: home.project, title: 'Task' })
      const [firstId] = await Promise.all(
        Array.from({ length: comments }, (_, at) =>
          post(home, `tasks/${task}/comments`, { body: `needle w${at}` }),
        ),
      )
      return firstId ?? ''
    }
    const deletedId = await fill(one, 30)
    const editedId = await fill(other, 1)
    const countMatches = async (home: typeof one, q: string) => {
      const { headers } = await createTestSession(storage, home, 'owner', config.baseUrl)
      const reply = await server.inject({ url: `/internal/search?q=${q}`, headers })
      return (reply.json() as { data: [] }).data.length
    }
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(forgetWords, {})
      await tx.run(saveCommentWordsProgress, { name: 'comment_words', value: '' })
    })
    assert.equal(await countMatches(one, 'needle'), 0)
    // An edit before the job has indexed the new text; a deletion has no words to delete.
    const headers = { authorization: `Bearer ${other.keys.owner}` }
    const url = `/api/v1/comments/${editedId}`
    await server.inject({ method: 'PATCH', url, headers, payload: { body: 'thread' } })
    const authorization = `Bearer ${one.keys.owner}`
    const deleted = `/api/v1/comments/${deletedId}`
    await server.inject({ method: 'DELETE', url: deleted, headers: { authorization } })

    assert.equal(await indexComments(storage)(), true)
    // After a restart it continues where it was.
    let steps = 1
    for (const step = indexComments(storage); await step(); ) steps += 1
    assert.ok(steps >= 3 && steps < 10, `${steps} steps`)
    assert.equal(await countMatches(one, 'needle'), 1)
    assert.equal(await countMatches(one, 'w29'), 1)
    assert.equal(await countMatches(one, 'w0'), 0)
    assert.equal(await countMatches(other, 'thread'), 1)
    assert.equal(await countMatches(other, 'needle'), 0)
    assert.equal(await indexComments(storage)(), false)
    // A deleted comment leaves no words behind.
    const words = async () => {
      const [row] = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(countWords, {}))
      return Number(row?.count)
    }
    const before = await words()
    await server.inject({ method: 'DELETE', url, headers })
    assert.equal(await words(), before - 1)
  })
}
