import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** More tasks than are sorted: 5 times the root of all. */
const COMMON = 70

const WORDS_OF_SCRIPTS =
  'crème e\u0301te\u0301 Straße ΌΔΟΣ İstanbul 東京都 ひらがな Việt ﬁne Ｆｕｌｌ ٣٤ हिन्दी ไทย 𝒳𝒴 עברית 가나다'.split(
    ' ',
  )

for (const engine of ENGINES) {
  test(`a search finds the tasks with all words, of which each may be common or rare (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { keys, project } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}` }
    const titles: string[] = Array.from({ length: 2 * COMMON }, (_, at) =>
      at < COMMON ? 'Search customers leftmost' : 'Search customers rightmost',
    )
    titles.push('Search customers leftmost rightmost zeppelin', 'Other leftmost zeppelins')
    for (const some of [titles.slice(0, 100), titles.slice(100)]) {
      const operations = some.map((title) => ({
        op: 'create',
        data: { project_id: project, title },
      }))
      const request = { url: '/api/v1/tasks/bulk', headers, payload: { operations } }
      const reply = await server.inject({ method: 'POST', ...request })
      assert.equal(reply.statusCode, 200, reply.body)
    }
    const find = async (words: string) => {
      const q = encodeURIComponent(words)
      const reply = await server.inject({ url: `/api/v1/tasks?limit=3&q=${q}`, headers })
      assert.equal(reply.statusCode, 200, reply.body)
      return reply.json<{ data: { title: string }[] }>().data.map(({ title }) => title)
    }
    const both = titles.slice(-2, -1)
    const rare = titles.slice(-2).toSorted()
    const expected: [words: string, titles: string[]][] = [
      ['search zepp', both],
      ['zeppelin sea', both],
      ['leftmost zeppelin', rare],
      ['search quagga', []],
      ['zeppelin', rare],
      ['leftmost rightmost', both],
      ['left right', both],
    ]
    for (const [words, found] of expected)
      assert.deepEqual((await find(words)).toSorted(), found, words)
    for (const words of ['search customers', 'custom sear'])
      assert.equal((await find(words)).length, 3, words)
  })

  test(`a search of several words finds words of all scripts (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { keys, project } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}` }
    for (const word of WORDS_OF_SCRIPTS) {
      const payload = { project_id: project, title: `plain ${word} text` }
      const url = '/api/v1/tasks'
      const reply = await server.inject({ method: 'POST', url, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    for (const word of WORDS_OF_SCRIPTS) {
      const q = encodeURIComponent(`text ${word}`)
      const reply = await server.inject({ url: `/api/v1/tasks?q=${q}`, headers })
      const titles = reply.json().data.map(({ title }: { title: string }) => title)
      assert.ok(titles.includes(`plain ${word} text`), word)
    }
  })
}
