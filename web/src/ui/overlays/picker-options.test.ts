import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterOptions, hasOptionNamed } from './picker-options.ts'

const options = ['Ines Okafor', 'Tomás Rivera', 'Mei Tanaka', 'Ruth Mein'].map((label) => ({
  id: label,
  label,
}))
const filterLabels = (typed: string) => filterOptions(options, typed).map(({ label }) => label)

test('filters options by word prefixes, ignoring case and accents', () => {
  assert.deepEqual(filterLabels('tomas'), ['Tomás Rivera'])
  assert.deepEqual(filterLabels('OKA in'), ['Ines Okafor'])
  assert.deepEqual(filterLabels('me'), ['Mei Tanaka', 'Ruth Mein'])
  assert.deepEqual(filterLabels('fora'), [])
  assert.equal(filterLabels('').length, 4)
})

test('ranks labels that start with the text first and recognizes an exact label', () => {
  assert.deepEqual(filterLabels('ru'), ['Ruth Mein'])
  assert.deepEqual(
    filterOptions(
      [
        { id: 'a', label: 'api docs' },
        { id: 'b', label: 'docs' },
      ],
      'docs',
    ).map(({ id }) => id),
    ['b', 'a'],
  )
  assert.deepEqual(
    [hasOptionNamed(options, ' mei tanaka '), hasOptionNamed(options, 'mei')],
    [true, false],
  )
})
