import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createServerVariant,
  rewriteStatements,
} from '#test/experiments/shared/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** More tasks than a selective filter may match. */
const COMMON = 505

/** A statement that looks for all words in the index, which reads all matches of each word. */
const ALL_WORDS_FROM_INDEX = /task_words match|select found\.task_id from task_words/

const WORDS_OF_SCRIPTS =
  'crème e\u0301te\u0301 Straße ΌΔΟΣ İstanbul 東京都 ひらがな Việt ﬁne Ｆｕｌｌ ٣٤ हिन्दी ไทย 𝒳𝒴 עברית 가나다'.split(
    ' ',
  )

for (const engine of ENGINES) {
  test(`a search of several words does not read all matches of a common one (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { keys, project } = await createTestWorkspace(docket.storage)
    const statements = new Set<string>()
    const storage = rewriteStatements(docket.storage, (text, of) => {
      if (of === engine) statements.add(text.sql)
      return text
    })
    const server = await createServerVariant(docket, { storage })
    const headers = { authorization: `Bearer ${keys.owner}` }
    const titles: string[] = Array.from({ length: 2 * COMMON }, (_, at) =>
      at < COMMON ? 'Search customers leftmost' : 'Search customers rightmost',
    )
    titles.push('Search customers leftmost rightmost zeppelin', 'Other leftmost zeppelins')
    for (let from = 0; from < titles.length; from += 100) {
      const operations = titles
        .slice(from, from + 100)
        .map((title) => ({ op: 'create', data: { project_id: project, title } }))
      const payload = { operations }
      const url = '/api/v1/tasks/bulk'
      const reply = await server.inject({ method: 'POST', url, headers, payload })
      assert.equal(reply.statusCode, 200, reply.body)
    }
    const find = async (words: string) => {
      statements.clear()
      const q = encodeURIComponent(words)
      const reply = await server.inject({ url: `/api/v1/tasks?limit=3&q=${q}`, headers })
      assert.equal(reply.statusCode, 200, reply.body)
      const found: { title: string }[] = reply.json().data
      const readsIndex = [...statements].some((sql) => ALL_WORDS_FROM_INDEX.test(sql))
      return { titles: found.map(({ title }) => title).toSorted(), readsIndex }
    }
    const both = titles.slice(-2, -1)
    const rare = titles.slice(-2).toSorted()
    const expected: [words: string, titles: string[], readsIndex: boolean][] = [
      ['search zepp', both, false],
      ['zeppelin sea', both, false],
      ['leftmost zeppelin', rare, false],
      ['search quagga', [], false],
      // One word, or common words that few tasks have together.
      ['zeppelin', rare, true],
      ['leftmost rightmost', both, true],
      ['left right', both, true],
    ]
    for (const [words, titles, readsIndex] of expected) {
      assert.deepEqual(await find(words), { titles, readsIndex }, words)
    }
    for (const words of ['search customers', 'custom sear']) {
      const { titles, readsIndex } = await find(words)
      assert.deepEqual([titles.length, readsIndex], [3, false], words)
    }
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
