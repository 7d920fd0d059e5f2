import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getInitials } from './initials.ts'
import { parsePastedLines } from './pasted-lines.ts'
import { parsePastedRows } from './pasted-rows.ts'
import { toSafePath } from './safe-path.ts'

const textsOf = (pasted: string) => parsePastedLines(pasted).map(({ text }) => text)

test('removes the marks of lists from pasted lines', () => {
  const list = '- one\r\n* [ ] two\n\n1. three\n  four  \n• five\n☐ six\n2. [x] seven'
  assert.deepEqual(textsOf(list), ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
  assert.deepEqual(textsOf('Plan\n1) one\n  - more\n2) two'), ['Plan', 'one', 'more', 'two'])
  assert.deepEqual(textsOf('a\rb\u2028c'), ['a', 'b', 'c'])
})

test('knows what is done by its check mark', () => {
  assert.deepEqual(parsePastedLines('- [x] one\n[ ] two\n✓ three\n[X] four'), [
    { text: 'one', isDone: true },
    { text: 'two', isDone: false },
    { text: 'three', isDone: true },
    { text: 'four', isDone: true },
  ])
})

test('keeps lines that only look as if they began with the mark of a list', () => {
  const lines = [
    '1.5 version bump',
    '-5 degrees: fix sensor',
    '10.0.0.1 is down',
    '100.000 Euro budget',
    '2026.03 release',
    '+49 123 call back',
    '*important* thing',
    '--force flag',
    '4.0',
    '[X]Y-axis label',
    '18. May kickoff',
    '#3 in the list',
    '[draft] Write it',
    '3D model',
  ]
  assert.deepEqual(textsOf(lines.join('\n')), lines)
})

test('removes numbers only if they count from 1', () => {
  for (const lines of [
    ['1. Mai Feiertag'],
    ['1. Mai Feiertag', 'Betriebsausflug'],
    ['Betriebsausflug', '2. Mai Brückentag'],
    ['1. Januar', '6. Januar', '1. Mai', '3. Oktober', '25. Dezember', '26. Dezember'],
    ['24. Dezember', '25. Dezember', '26. Dezember'],
    ['01. Mai', '02. Mai'],
    ['0. begin', '2. go on'],
  ])
    assert.deepEqual(textsOf(lines.join('\n')), lines)
  // Also in lists within lists.
  const nested = ['1. plan', '  1. draft', '  2. review', '2. print']
  assert.deepEqual(textsOf(nested.join('\n')), ['plan', 'draft', 'review', 'print'])
})

test('makes one blank of white space of every kind within a line', () => {
  assert.deepEqual(textsOf('Name\tHigh\t2026-12-01\nOther\vthing\u00a0 here\u0000'), [
    'Name High 2026-12-01',
    'Other thing here',
  ])
})

test('separates cells by tabs alone, and takes quotes for those of a spreadsheet where it needs them', () => {
  const cases: Record<string, string[][]> = {
    'Buy milk, eggs; bread\r\nCall Bob, today\n': [['Buy milk, eggs; bread'], ['Call Bob, today']],
    'a\t"b\nc ""d"""\te\n\n"f\tg"': [['a', 'b\nc "d"', 'e'], ['f\tg']],
    '"Yes"\n"No", he said\n""\n"': [['"Yes"'], ['"No", he said'], ['"']],
  }
  for (const [pasted, rows] of Object.entries(cases))
    assert.deepEqual(parsePastedRows(pasted), rows, pasted)
})

test('takes whole characters as initials', () => {
  assert.equal(getInitials('Tomás  Rivera'), 'TR')
  assert.equal(getInitials('mei'), 'M')
  assert.equal(getInitials('👨‍👩‍👧 e\u0301mile 🇩🇪'), '👨‍👩‍👧🇩🇪')
  assert.equal(getInitials('e\u0301mile zola'), 'E\u0301Z')
  assert.equal(getInitials(' '), '')
})

test('continues at a path of this origin', () => {
  for (const path of ['/start', '/w/wsp_1/p/ENG?view=board&f=status:open#work', '/search?q=größe'])
    assert.equal(toSafePath(path), path)
})

test('continues at no other site (open redirect)', () => {
  for (const path of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/%2e%2e//evil.example/',
    '/..//evil.example/',
    'javascript:alert(1)',
    'evil.example',
    '',
  ]) {
    const safe = toSafePath(path)
    assert.equal(new URL(safe, 'http://a.invalid').host, 'a.invalid', path)
    if (!path.startsWith('/')) assert.equal(safe, '/start')
  }
})
