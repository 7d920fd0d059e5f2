import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMention } from './format-mention.ts'
import {
  continueList,
  insertLink,
  type MarkdownEdit,
  toggleLinePrefix,
  toggleMark,
} from './markdown-edit.ts'
import { findMentionAt, mentionIdsToNames, mentionNamesToIds } from './mentions.ts'

const applied = (text: string, edit: MarkdownEdit | undefined) =>
  edit && text.slice(0, edit.from) + edit.insert + text.slice(edit.to)

test('puts a mark around the selection and removes it again', () => {
  const edit = toggleMark('a word b', 2, 6, '**')
  assert.equal(applied('a word b', edit), 'a **word** b')
  assert.deepEqual(edit.select, [4, 8])
  assert.equal(applied('a **word** b', toggleMark('a **word** b', 4, 8, '**')), 'a word b')
})

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

test('mentions the chosen person where two have the same name', () => {
  for (const person of people) {
    const text = mentionNamesToIds(`${formatMention(person, people)} `, people)
    assert.equal(text, `<@${person.id}> `)
  }
  assert.equal(formatMention(mei, people), '@Mei Tanaka')
})

test('finds the mention being typed after an @ at the start of a word', () => {
  assert.deepEqual(findMentionAt('ask @mei t', 10), { from: 4, typed: 'mei t' })
  assert.deepEqual(findMentionAt('@', 1), { from: 0, typed: '' })
  assert.equal(findMentionAt('a@mei', 5), undefined)
  assert.equal(findMentionAt('@mei tanaka said', 16), undefined)
})
