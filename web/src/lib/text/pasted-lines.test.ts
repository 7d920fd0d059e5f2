import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePastedLines } from './pasted-lines.ts'

const textsOf = (pasted: string) => parsePastedLines(pasted).map(({ text }) => text)

test('removes the marks of lists from pasted lines', () => {
  const list = '- one\r\n* [ ] two\n\n3. three\n  four  \n• five\n☐ six'
  assert.deepEqual(textsOf(list), ['one', 'two', 'three', 'four', 'five', 'six'])
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
    ...['1.5 version bump', '-5 degrees: fix sensor', '10.0.0.1 is down', '100.000 Euro budget'],
    ...['2026.03 release', '+49 123 call back', '*important* thing', '--force flag', '4.0'],
    ...['[X]Y-axis label', '18. May kickoff', '#3 in the list', '[draft] Write it', '3D model'],
  ]
  assert.deepEqual(textsOf(lines.join('\n')), lines)
})

test('makes one blank of white space of every kind within a line', () => {
  assert.deepEqual(textsOf('Name\tHigh\t2026-12-01\nOther\vthing\u00a0 here\u0000'), [
    'Name High 2026-12-01',
    'Other thing here',
  ])
})
