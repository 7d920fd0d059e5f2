import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  getChipKey,
  mergeChips,
  parseQuickAdd,
  type QuickAddVocabulary,
} from './parse-quick-add.ts'

const vocabulary: QuickAddVocabulary = {
  tags: [
    { id: 'tag_1', name: 'content' },
    { id: 'tag_2', name: 'needs design' },
  ],
  members: [
    { id: 'usr_1', name: 'Ines Okafor' },
    { id: 'usr_2', name: 'Priya Nair' },
    { id: 'usr_3', name: 'Priyanka Rao' },
  ],
  me: 'usr_1',
  today: '2026-11-20',
  canCreateTags: true,
}
const parseFinished = (typed: string, more = {}) => {
  const { text, chips } = parseQuickAdd(typed, vocabulary, { finished: true, ...more })
  return [
    text.trim(),
    ...chips.map((chip) => `${getChipKey(chip)}${'date' in chip ? chip.date : ''}`),
  ]
}

test('extracts tags, assignees, priority and due date from a title', () => {
  assert.deepEqual(parseFinished('Changelog for 1.9 #content @me !high tomorrow'), [
    'Changelog for 1.9',
    'tag tag_1',
    'who usr_1',
    'priority ',
    'due 2026-11-21',
  ])
  assert.deepEqual(parseFinished('#needs-design due fri Draw it'), [
    'Draw it',
    'tag tag_2',
    'due 2026-11-27',
  ])
  assert.deepEqual(parseFinished('Report due 24 Nov'), ['Report', 'due 2026-11-24'])
})

test('takes a name only as a whole, however long', () => {
  const people = ['Robin Keller', 'Robin Keller Jr.', 'Ana María de la Cruz', 'Zoë', 'Bo Lindt']
  const names = {
    ...vocabulary,
    members: people.map((name) => ({ id: name, name })),
    tags: ['API docs', 'devops', 'v1.2', 'resign', 'needs design', 'résumé'].map((name) => ({
      id: name,
      name,
    })),
  }
  const read = (typed: string) => {
    const { text, chips } = parseQuickAdd(typed, names, { finished: true })
    return [
      text.trim(),
      ...chips.map((chip) => ('name' in chip ? `${chip.kind} ${chip.name}` : chip.kind)),
    ]
  }
  for (const [typed, ...expected] of [
    ['Ask @Robin Keller about it', 'Ask about it', 'who Robin Keller'],
    ['Ask @robin  keller, then', 'Ask then', 'who Robin Keller'],
    ['Ask @Robin Keller Jr. about it', 'Ask about it', 'who Robin Keller Jr.'],
    ['Ask @ana maria de la cruz', 'Ask', 'who Ana María de la Cruz'],
    ['Ask @Robin-Keller @zoe', 'Ask', 'who Robin Keller', 'who Zoë'],
    ['Ask @lindt about it', 'Ask about it', 'who Bo Lindt'],
    ['Ask @Bo Friday', 'Ask', 'who Bo Lindt', 'due'],
    // Other names.
    ['Ask @Bo Linden', 'Ask @Bo Linden'],
    ['Ask @Bo Lindt-Maier about it', 'Ask @Bo Lindt-Maier about it'],
    ['Ask @Rob @Kell', 'Ask @Rob @Kell'],
    ['Write #api docs', 'Write', 'tag API docs'],
    ['Write #needs-design #resume', 'Write', 'tag needs design', 'tag résumé'],
    ['Release notes #v12', 'Release notes', 'new tag v12'],
    ['Sign it #re-sign', 'Sign it', 'new tag re-sign'],
    ['Fix pipeline #dev', 'Fix pipeline', 'new tag dev'],
    ['Tell #api', 'Tell', 'new tag api'],
    ['Tell #v1 #V1.2.', 'Tell', 'new tag v1', 'tag v1.2'],
  ] as const)
    assert.deepEqual(read(typed), expected, typed)
  const chipsWhileTyping = (typed: string) => parseQuickAdd(typed, names).chips.length
  // A letter before its end, a name that is two words is still being typed.
  const typed = ['Ask @Bo ', 'Ask @Bo L', 'Ask @Bo Lindt', 'Ask @Bo Lindt ']
  assert.deepEqual(typed.map(chipsWhileTyping), [0, 0, 0, 1])
})

test('extracts a word when it is finished, not while it is being typed', () => {
  assert.deepEqual(parseQuickAdd('Talk @pri', vocabulary).chips, [])
  assert.deepEqual(parseQuickAdd('Talk #content', vocabulary), { text: 'Talk #content', chips: [] })
  assert.deepEqual(parseQuickAdd('Talk #content ', vocabulary).text, 'Talk ')
  assert.deepEqual(parseQuickAdd('Pay due ', vocabulary), { text: 'Pay due ', chips: [] })
})

test('keeps unknown and ambiguous words as text', () => {
  for (const typed of [
    'See #12',
    'Ask @priy',
    'Wow! @nobody',
    'C# !soon',
    'Friday plan',
    'due date',
  ]) {
    assert.deepEqual(parseFinished(typed), [typed])
  }
  assert.deepEqual(parseFinished('x tomorrow', { textWords: new Set(['tomorrow']) }), [
    'x tomorrow',
  ])
})

test('creates a missing tag if the user may', () => {
  assert.deepEqual(parseFinished('x #big-idea'), ['x', 'new tag big idea'])
  const { text } = parseQuickAdd(
    'x #big-idea',
    { ...vocabulary, canCreateTags: false },
    { finished: true },
  )
  assert.equal(text, 'x #big-idea')
})

test('keeps only the latest due date and the latest priority', () => {
  const { chips } = parseQuickAdd('a tomorrow !low #content', vocabulary, { finished: true })
  const { chips: more } = parseQuickAdd('b today !high #content', vocabulary, { finished: true })
  const all = mergeChips(chips, more)
  assert.deepEqual(
    all.map((chip) =>
      'date' in chip ? chip.date : 'priority' in chip ? chip.priority : chip.kind,
    ),
    ['high', 'tag', '2026-11-20'],
  )
})
