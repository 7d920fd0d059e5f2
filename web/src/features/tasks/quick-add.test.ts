import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Known, keyOf, lift, linesOf, withChips } from './quick-add.ts'

const known: Known = {
  tags: [
    { id: 'tag_1', name: 'content' },
    { id: 'tag_2', name: 'needs design' },
  ],
  members: [
    { id: 'usr_1', name: 'Ines Okafor' },
    { id: 'usr_2', name: 'Priya Nair' },
    { id: 'usr_3', name: 'Priyanka Rao' },
  ],
  ...{ me: 'usr_1', today: '2026-11-20', mayTag: true },
}
const finished = (typed: string, more = {}) => {
  const { text, chips } = lift(typed, known, { finished: true, ...more })
  return [text.trim(), ...chips.map((chip) => `${keyOf(chip)}${'date' in chip ? chip.date : ''}`)]
}

test('tags, people, priority and dates are lifted out of a title', () => {
  assert.deepEqual(finished('Changelog for 1.9 #content @me !high tomorrow'), [
    'Changelog for 1.9',
    'tag tag_1',
    'who usr_1',
    'priority ',
    'due 2026-11-21',
  ])
  assert.deepEqual(finished('#needs-design due fri Draw it'), [
    'Draw it',
    'tag tag_2',
    'due 2026-11-27',
  ])
  assert.deepEqual(finished('Report due 24 Nov'), ['Report', 'due 2026-11-24'])
})

test('a word is lifted when it is finished, not while it is typed', () => {
  assert.deepEqual(lift('Talk @pri', known).chips, [])
  assert.deepEqual(lift('Talk #content', known), { text: 'Talk #content', chips: [] })
  assert.deepEqual(lift('Talk #content ', known).text, 'Talk ')
  assert.deepEqual(lift('Pay due ', known), { text: 'Pay due ', chips: [] })
})

test('what is not known, or not sure, stays text', () => {
  for (const typed of [
    'See #12',
    'Ask @priy',
    'Wow! @nobody',
    'C# !soon',
    'Friday plan',
    'due date',
  ]) {
    assert.deepEqual(finished(typed), [typed])
  }
  assert.deepEqual(finished('x tomorrow', { kept: new Set(['tomorrow']) }), ['x tomorrow'])
})

test('a tag that does not exist is made, by those who may', () => {
  assert.deepEqual(finished('x #big-idea'), ['x', 'new tag bigidea'])
  const { text } = lift('x #big-idea', { ...known, mayTag: false }, { finished: true })
  assert.equal(text, 'x #big-idea')
})

test('there is one due date and one priority, the newest', () => {
  const { chips } = lift('a tomorrow !low #content', known, { finished: true })
  const { chips: more } = lift('b today !high #content', known, { finished: true })
  const all = withChips(chips, more)
  assert.deepEqual(
    all.map((chip) =>
      'date' in chip ? chip.date : 'priority' in chip ? chip.priority : chip.kind,
    ),
    ['2026-11-20', 'high', 'tag'],
  )
})

test('lines are titles without their marks', () => {
  assert.deepEqual(linesOf('- one\r\n* [ ] two\n\n3. three\n  four  \n'), [
    'one',
    'two',
    'three',
    'four',
  ])
})
