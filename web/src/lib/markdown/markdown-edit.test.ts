import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  continueList,
  insertBlock,
  insertLink,
  type MarkdownEdit,
  toggleLinePrefix,
} from './markdown-edit.ts'
import { mentionIdsToNames, readMentions } from './mentions.ts'
import {
  findMarkedName,
  findMentionAt,
  findTaskWordsAt,
  mentionNamesToIds,
} from './typed-mentions.ts'

const applied = (text: string, edit: MarkdownEdit | undefined) =>
  edit && text.slice(0, edit.from) + edit.insert + text.slice(edit.to)

test('turns selected words or a selected URL into a link', () => {
  assert.equal(applied('see docs', insertLink('see docs', 4, 8)), 'see [docs](https://)')
  assert.equal(
    applied('https://x.example', insertLink('https://x.example', 0, 17)),
    '[](https://x.example)',
  )
})

test('adds a prefix to lines, or removes it if all have it', () => {
  assert.equal(applied('a\nb\nc', toggleLinePrefix('a\nb\nc', 0, 3, '- ')), '- a\n- b\nc')
  assert.equal(applied('- a\n- b', toggleLinePrefix('- a\n- b', 0, 7, '- ')), 'a\nb')
})

test('Enter continues a list, and ends it after an empty item', () => {
  const enter = (text: string) => applied(text, continueList(text, text.length))
  assert.equal(enter('- one'), '- one\n- ')
  assert.equal(enter('  2. two'), '  2. two\n  3. ')
  assert.equal(enter('- [x] done'), '- [x] done\n- [ ] ')
  assert.equal(enter('- one\n- '), '- one\n')
  assert.equal(enter('words'), undefined)
})

/** Presses Enter where the bar is and types `new`. */
function enterAndType(marked: string): string {
  const text = marked.replace('|', '')
  const { from, to, insert, select } =
    continueList(text, marked.indexOf('|')) ?? assert.fail(marked)
  const edited = text.slice(0, from) + insert + text.slice(to)
  return `${edited.slice(0, select[0])}new${edited.slice(select[0])}`
}

test('Enter makes an item where the caret is, and the numbers below count on', () => {
  const cases: [text: string, result: string][] = [
    ['- one\n- |two', '- one\n- new\n- two'],
    ['1. one\n2. |two', '1. one\n2. new\n3. two'],
    [
      '1. one|\n2. two\n   - a\n\n3. three\n\ntext\n4. four',
      '1. one\n2. new\n3. two\n   - a\n\n4. three\n\ntext\n4. four',
    ],
    ['1. one|\n1. two', '1. one\n2. new\n1. two'],
    ['- run `one|', '- run `one\n- new'],
    ['- one|two', '- one\n- newtwo'],
    ['- [x] |done', '- [ ] new\n- [x] done'],
    ['- [x|] done', '- [ ] new\n- [x] done'],
    ['-   one\n    *  |two', '-   one\n    *  new\n    *  two'],
    ['> 1) |one\n> 2) two', '> 1) new\n> 2) one\n> 3) two'],
    ['> - one|', '> - one\n> - new'],
    ['> - one\n> - |', '> - one\n> new'],
    ['- one\n  - |  ', '- one\nnew'],
  ]
  for (const [text, result] of cases) assert.equal(enterAndType(text), result)
})

test('Enter continues no list in code, in a rule or before a mark', () => {
  for (const text of [
    '```\n- one|\n```',
    '```\n- one|',
    'a\n\n    - one|',
    '* * *|',
    '|- one',
    ' |- one',
  ])
    assert.equal(continueList(text.replace('|', ''), text.indexOf('|')), undefined, text)
})

const mei = { id: `usr_${'0'.repeat(26)}`, name: 'Mei Tanaka' }
const meiT = { id: `usr_${'1'.repeat(26)}`, name: 'Mei' }
const twins = [2, 3].map((n) => ({ id: `usr_${String(n).repeat(26)}`, name: 'Sam Lowe' }))
const people = [mei, meiT, ...twins]

test('converts mentions between ids and names, except in code and for ambiguous names', () => {
  const source = `<@${mei.id}>, <@${meiT.id}>: \`<@${mei.id}>\` <@${twins[0]?.id}>`
  const shown = mentionIdsToNames(source, people)
  assert.equal(shown, `@Mei Tanaka, @Mei: \`<@${mei.id}>\` <@${twins[0]?.id}>`)
  assert.equal(mentionNamesToIds(shown, people), source)
  assert.equal(
    mentionNamesToIds('mail a@Mei.example @Meinhard', people),
    'mail a@Mei.example @Meinhard',
  )
})

test('leaves names in lines that were not edited as they are', () => {
  const source = 'Cc @Mei\n\nold\n\nFrom @Mei'
  const edited = source.replace('old', 'new for @Mei')
  assert.equal(
    mentionNamesToIds(edited, people, source),
    source.replace('old', `new for <@${meiT.id}>`),
  )
  assert.equal(mentionNamesToIds(source, people, source), source)
})

test('inserts a block on lines of its own', () => {
  const insert = (text: string, caret: number) =>
    applied(text, insertBlock(text, caret, '---\n', ''))
  assert.equal(insert('', 0), '---\n')
  assert.equal(insert('one\n\ntwo', 2), 'one\n\n---\n\n\ntwo')
  assert.equal(insert('one\n', 4), 'one\n\n---\n')
  assert.equal(insert('one\n\n', 5), 'one\n\n---\n')
})

test('finds the mention being typed after an @ at the start of a word', () => {
  assert.deepEqual(findMentionAt('ask @mei t', 10), { from: 4, typed: 'mei t' })
  assert.deepEqual(findMentionAt('@', 1), { from: 0, typed: '' })
  assert.equal(findMentionAt('a@mei', 5), undefined)
  assert.equal(findMentionAt('@mei tanaka said', 16), undefined)
})

test('finds at most three words of a task after a #', () => {
  const find = (text: string) => findTaskWordsAt(text, text.length)?.typed
  assert.deepEqual(findTaskWordsAt('see #print the report', 14), { from: 4, typed: 'print the' })
  assert.equal(find('see #print '), 'print ')
  assert.equal(find('#'), '')
  assert.equal(find('#urgent please look here'), undefined)
  assert.equal(find('#urgent please look '), undefined)
  assert.equal(find('# heading'), undefined)
})

test('finds the name being typed after a mark at the end of a line', () => {
  assert.deepEqual(findMarkedName('tell @anna maria d'), { mark: '@', typed: 'anna maria d' })
  assert.deepEqual(findMarkedName('#'), { mark: '#', typed: '' })
  assert.deepEqual(findMarkedName('ask a@mei'), { mark: '', typed: '' })
  assert.deepEqual(findMarkedName('@one two three four five'), { mark: '', typed: '' })
})

test('an excerpt names everybody, and shows no id that its ends have cut', () => {
  const id = `usr_${'0'.repeat(26)}`
  const read = (excerpt: string) => readMentions(excerpt, () => 'Mei Tanaka')
  assert.equal(read(`Ask <@${id}>, \`<@${id}>\``), 'Ask @Mei Tanaka, `@Mei Tanaka`')
  assert.equal(read(`…${id}> agrees with <@usr_00`), '…@Mei Tanaka agrees with …')
})
