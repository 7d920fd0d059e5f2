import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundOptions, isNamed } from './options.ts'

const options = ['Ines Okafor', 'Tomás Rivera', 'Mei Tanaka', 'Ruth Mein'].map((label) => ({
  id: label,
  label,
}))
const find = (typed: string) => foundOptions(options, typed).map(({ label }) => label)

test('options are found by the beginnings of words, whatever case and accents', () => {
  assert.deepEqual(find('tomas'), ['Tomás Rivera'])
  assert.deepEqual(find('OKA in'), ['Ines Okafor'])
  assert.deepEqual(find('me'), ['Mei Tanaka', 'Ruth Mein'])
  assert.deepEqual(find('fora'), [])
  assert.equal(find('').length, 4)
})

test('what begins with the text comes first, and an exact name is known', () => {
  assert.deepEqual(find('ru'), ['Ruth Mein'])
  assert.deepEqual(
    foundOptions(
      [
        { id: 'a', label: 'api docs' },
        { id: 'b', label: 'docs' },
      ],
      'docs',
    ).map(({ id }) => id),
    ['b', 'a'],
  )
  assert.deepEqual([isNamed(options, ' mei tanaka '), isNamed(options, 'mei')], [true, false])
})
