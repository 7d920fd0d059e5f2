import assert from 'node:assert/strict'
import { test } from 'node:test'
import { continued, type Edit, linked, prefixed, wrapped } from './markdown-edit.ts'
import { mentionAt, withIds, withNames } from './mentions.ts'

const applied = (text: string, edit: Edit | undefined) =>
  edit && text.slice(0, edit.from) + edit.insert + text.slice(edit.to)

test('a mark is put around a selection and taken off again', () => {
  const edit = wrapped('a word b', 2, 6, '**')
  assert.equal(applied('a word b', edit), 'a **word** b')
  assert.deepEqual(edit.select, [4, 8])
  assert.equal(applied('a **word** b', wrapped('a **word** b', 4, 8, '**')), 'a word b')
})

test('a link is made of words or of an address', () => {
  assert.equal(applied('see docs', linked('see docs', 4, 8)), 'see [docs](https://)')
  assert.equal(
    applied('https://x.example', linked('https://x.example', 0, 17)),
    '[](https://x.example)',
  )
})

test('lines get a prefix, or lose it if all have it', () => {
  assert.equal(applied('a\nb\nc', prefixed('a\nb\nc', 0, 3, '- ')), '- a\n- b\nc')
  assert.equal(applied('- a\n- b', prefixed('- a\n- b', 0, 7, '- ')), 'a\nb')
})

test('Enter goes on with a list, and ends it after an empty item', () => {
  const enter = (text: string) => applied(text, continued(text, text.length))
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

test('mentions are edited as names and sent as ids, but for code and names of several', () => {
  const source = `<@${mei.id}>, <@${meiT.id}>: \`<@${mei.id}>\` <@${twins[0]?.id}>`
  const shown = withNames(source, people)
  assert.equal(shown, `@Mei Tanaka, @Mei: \`<@${mei.id}>\` <@${twins[0]?.id}>`)
  assert.equal(withIds(shown, people), source)
  assert.equal(withIds('mail a@Mei.example @Meinhard', people), 'mail a@Mei.example @Meinhard')
})

test('a mention is being typed after an @ that begins a word', () => {
  assert.deepEqual(mentionAt('ask @mei t', 10), { from: 4, typed: 'mei t' })
  assert.deepEqual(mentionAt('@', 1), { from: 0, typed: '' })
  assert.equal(mentionAt('a@mei', 5), undefined)
  assert.equal(mentionAt('@mei tanaka said', 16), undefined)
})
