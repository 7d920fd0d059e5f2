import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, listStep, patchTaskStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const finds = (q: string, names: string[], more: Partial<ScenarioStep> = {}): ScenarioStep =>
  listStep(`/api/v1/tasks?sort=created_at&q=${encodeURIComponent(q)}`, names, more)

scenario('matches each search word as a prefix in title or description', [
  createTaskStep('A', { title: 'Überprüfung der 日本 Zahlen', description: 'x-ray\nfoo_bar 3.14' }),
  createTaskStep('B', {
    title: 'Cafe\u0301 ΟΔΟΣΗΜΟ',
    description: '{"json": "\\"quoted\\" OR \'x\'"}',
  }),
  createTaskStep('C', { title: 'İstanbul ﬁsh', description: null }),
  createTaskStep('D', { title: '東京タワー', description: 'caf' }),
  createTaskStep('E', { title: 'हिन्दी NOT near' }),
  finds('zah ÜBERP', ['A']),
  finds('zahlen zahlen', ['A']),
  finds('ahlen', []),
  finds('uber', ['A']),
  finds('本', ['A']),
  finds('日本', ['A']),
  finds('本日', ['A']),
  finds('ray FOO', ['A']),
  finds('bar 14', ['A']),
  finds('caf\u00e9', ['B']),
  finds('Cafe\u0301', ['B']),
  finds('cafe', ['B']),
  finds('caf', ['B', 'D']),
  finds('οδος', ['B']),
  finds('or quoted', ['B']),
  finds('"quoted" AND', []),
  finds("'x'", ['A', 'B']),
  finds('タ東', ['D']),
  finds('not', ['E']),
  finds('NEAR(not near)', ['E']),
  finds('हि', ['E']),
  finds('--', []),
  finds(' ', []),
  finds('*', []),
  finds('%', []),
  finds('_', []),
  finds('zah', [], { as: 'stranger' }),
])

scenario(
  'folds accents, full case, compatibility forms and scripts without spaces as people read',
  [
    createTaskStep('Turkish', { title: 'İnş planı' }),
    createTaskStep('Thai', { title: 'ความต้องการระบบ' }),
    createTaskStep('Lao', { title: 'ກະລຸນາຕອບ' }),
    createTaskStep('Kana', { title: 'ｶﾀｶﾅ' }),
    createTaskStep('Wide', { title: 'ＡＢＣ ﬁle' }),
    createTaskStep('German', { title: 'Große Straße in Łódź' }),
    ...['inş', 'INS', 'İnş', 'PLANI'].map((q) => finds(q, ['Turkish'])),
    ...['ความ', 'ต้องการ', 'ระบบ', 'ความต'].map((q) => finds(q, ['Thai'])),
    ...['ຕອບ', 'ກະລຸນາ'].map((q) => finds(q, ['Lao'])),
    ...['カタカナ', 'ｶﾀ'].map((q) => finds(q, ['Kana'])),
    ...['file', 'abc', 'ＦＩＬＥ'].map((q) => finds(q, ['Wide'])),
    ...['STRASSE', 'große', 'lodz'].map((q) => finds(q, ['German'])),
    finds('ประชุม', []),
  ],
)

scenario('a single letter or digit matches only a whole word', [
  createTaskStep('Apple', { title: 'Apple 10', description: 'b' }),
  createTaskStep('Vitamin', { title: 'Vitamin A 1', description: 'Bé' }),
  createTaskStep('Tower', { title: '葛\u{e0100}城' }),
  finds('a', ['Vitamin']),
  finds('A apple', []),
  finds('ap', ['Apple']),
  finds('1', ['Vitamin']),
  finds('10 B', ['Apple']),
  finds('b', ['Apple']),
  finds('be\u0301', ['Vitamin']),
  // Each Han character is a word, which a variation selector may follow.
  finds('葛', ['Tower']),
])

scenario('only the first eight different words of a search count', [
  createTaskStep('Task', { title: 'one two three four five six seven eight' }),
  finds('one two three four five six seven eight nine', ['Task']),
  finds('one one ONE two three four five six seven eight nine', ['Task']),
  finds('one two three four five six seven nine', []),
])

scenario('search results follow changes, deletions and access', [
  createTaskStep('Task', { title: 'Old words', description: 'kept' }),
  createTaskStep('Secret', { project_id: '{hidden}', title: 'Old secret' }),
  finds('old', ['Task', 'Secret']),
  finds('old', ['Task'], { as: 'member' }),
  finds('HID-1', [], { as: 'member' }),
  finds('hid-1', ['Secret']),
  patchTaskStep('Task', { title: 'New words' }),
  finds('old', ['Secret']),
  finds('new kept', ['Task']),
  patchTaskStep('Task', { description: null }),
  finds('kept', []),
  { send: 'DELETE /api/v1/tasks/{Task}', status: 204, events: ['task.deleted'] },
  finds('new', []),
  finds('eng-1', []),
  listStep('/api/v1/tasks?deleted=only&q=new', ['Task']),
  listStep('/api/v1/tasks?deleted=only&q=eng-1', ['Task']),
])

scenario('finds a task by its short id', [
  createTaskStep('Task', { title: 'One' }),
  createTaskStep('Words', { title: 'eng and 1' }),
  finds(' eng-1 ', ['Task', 'Words']),
  finds('ENG-1', ['Task', 'Words']),
  finds('ENG-1 x', []),
  finds('ENG-01', []),
])

const long = `${'長'.repeat(30_000)} ${Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ')}`

scenario('finds a long text by its last word', [
  createTaskStep('Task', { description: `${'y'.repeat(600)} ${long}`.slice(0, 65_536) }),
  finds('w4999 長', ['Task']),
  finds('y'.repeat(200), ['Task']),
])

/** More tasks than are sorted: 5 times the root of all. */
const COMMON = 70

const WORDS_OF_SCRIPTS =
  'crème e\u0301te\u0301 Straße ΌΔΟΣ İstanbul 東京都 ひらがな Việt ﬁne Ｆｕｌｌ ٣٤ हिन्दी ไทย 𝒳𝒴 עברית 가나다'.split(
    ' ',
  )

for (const engine of ENGINES) {
  test(`a search finds the tasks with all words, of which each may be common or rare (${engine})`, async () => {
    const { team, send } = await openTestClient(engine)
    const project_id = team.project
    const titles: string[] = Array.from({ length: 2 * COMMON }, (_, at) =>
      at < COMMON ? 'Search customers leftmost' : 'Search customers rightmost',
    )
    titles.push('Search customers leftmost rightmost zeppelin', 'Other leftmost zeppelins')
    for (const some of [titles.slice(0, 100), titles.slice(100)]) {
      const operations = some.map((title) => ({ op: 'create', data: { project_id, title } }))
      await send('POST /api/v1/tasks/bulk', { operations })
    }
    const find = async (words: string): Promise<string[]> => {
      const { data } = await send(`GET /api/v1/tasks?limit=3&q=${encodeURIComponent(words)}`)
      return data.map(({ title }: { title: string }) => title)
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
    const { team, send } = await openTestClient(engine)
    const project_id = team.project
    for (const word of WORDS_OF_SCRIPTS)
      await send('POST /api/v1/tasks', { project_id, title: `plain ${word} text` })
    for (const word of WORDS_OF_SCRIPTS) {
      const { data } = await send(`GET /api/v1/tasks?q=${encodeURIComponent(`text ${word}`)}`)
      const titles = data.map(({ title }: { title: string }) => title)
      assert.ok(titles.includes(`plain ${word} text`), word)
    }
  })
}
