import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { NOBODY } from '#core/actor.ts'
import { markWords } from '#storage/comment-words.ts'
import { commandOfAll, queryOfAll } from '#storage/statement.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { newHome } from '#test/support/home.ts'
import { sessionOf } from '#test/support/session.ts'
import { indexComments } from './comment-words.ts'

/** As comments lay before they had words. */
const forgetWords = commandOfAll((db, _: object) =>
  db.deleteFrom('comment_words').where(sql<boolean>`1 = 1`),
)

const countWords = queryOfAll((db) =>
  db.selectFrom('comment_words').select((is) => is.fn.countAll().as('count')),
)

for (const engine of ENGINES) {
  test(`comments of before are found once upkeep has written their words (${engine})`, async () => {
    const { storage, server, config } = await freshDocket(engine)
    const [one, other] = [await newHome(storage), await newHome(storage)]
    const post = async (home: typeof one, url: string, payload: object) => {
      const headers = { authorization: `Bearer ${home.keys.owner}` }
      const reply = await server.inject({ method: 'POST', url: `/api/v1/${url}`, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json().id as string
    }
    const fill = async (home: typeof one, comments: number) => {
      const task = await post(home, 'tasks', { project_id: home.project, title: 'Task' })
      const [gone] = await Promise.all(
        Array.from({ length: comments }, (_, at) =>
          post(home, `tasks/${task}/comments`, { body: `needle w${at}` }),
        ),
      )
      return gone ?? ''
    }
    const gone = await fill(one, 30)
    const edited = await fill(other, 1)
    const found = async (home: typeof one, q: string) => {
      const { headers } = await sessionOf(storage, home, 'owner', config.baseUrl)
      const reply = await server.inject({ url: `/internal/search?q=${q}`, headers })
      return (reply.json() as { data: [] }).data.length
    }
    await storage.write(NOBODY, async (tx) => {
      await tx.run(forgetWords, {})
      await tx.run(markWords, { name: 'comment_words', value: '' })
    })
    assert.equal(await found(one, 'needle'), 0)
    // An edit before its turn has written the words that it has now; a deletion has none to take.
    const headers = { authorization: `Bearer ${other.keys.owner}` }
    const url = `/api/v1/comments/${edited}`
    await server.inject({ method: 'PATCH', url, headers, payload: { body: 'thread' } })
    const authorization = `Bearer ${one.keys.owner}`
    const deleted = `/api/v1/comments/${gone}`
    await server.inject({ method: 'DELETE', url: deleted, headers: { authorization } })

    assert.equal(await indexComments(storage)(), true)
    // After a restart it goes on where it was.
    let steps = 1
    for (const step = indexComments(storage); await step(); ) steps += 1
    assert.ok(steps >= 3 && steps < 10, `${steps} steps`)
    assert.equal(await found(one, 'needle'), 1)
    assert.equal(await found(one, 'w29'), 1)
    assert.equal(await found(one, 'w0'), 0)
    assert.equal(await found(other, 'thread'), 1)
    assert.equal(await found(other, 'needle'), 0)
    assert.equal(await indexComments(storage)(), false)
    // What is deleted leaves nothing behind.
    const words = async () => {
      const [found] = await storage.read(NOBODY, (tx) => tx.all(countWords, {}))
      return Number(found?.count)
    }
    const before = await words()
    await server.inject({ method: 'DELETE', url, headers })
    assert.equal(await words(), before - 1)
  })
}
