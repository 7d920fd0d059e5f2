import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '../../data/tasks/task-patch.ts'
import { ENGLISH_WORDS } from '../../messages/app/palette.ts'
import { germanPalette } from '../../messages/de/app/palette.ts'
import { matchEntries, matchLoadedTasks, mergeServerTasks } from './match-entries.ts'
import { matchText, splitByMatch, toSearchWords } from './text-match.ts'

const task = (number: number, title: string, fields: Partial<Task> = {}) =>
  ({
    id: `tsk_${number}`,
    number,
    short_id: `DOC-${number}`,
    title,
    status_category: 'unstarted',
    ...fields,
  }) as Task

test('ranks a task with the exact number first, in any notation', () => {
  const tasks = [task(421, 'Ship 42 things'), task(42, 'Other')]
  for (const typed of ['doc-42', 'DOC-42', '42 ']) {
    assert.equal(matchLoadedTasks(tasks, typed)[0]?.number, 42, typed)
  }
})

test('ranks finished tasks after unfinished ones', () => {
  const tasks = [task(1, 'Write it', { status_category: 'completed' }), task(2, 'Write that')]
  assert.deepEqual(
    matchLoadedTasks(tasks, 'write').map(({ number }) => number),
    [2, 1],
  )
})

test('appends tasks from the server without moving those shown', () => {
  const known = [task(2, 'b'), task(1, 'a')]
  const merged = mergeServerTasks(known, [task(1, 'a'), task(3, 'c')])
  assert.deepEqual(
    merged.map(({ number }) => number),
    [2, 1, 3],
  )
})

test('matches entries by label or gutter text', () => {
  const entry = { kind: 'place' as const, hint: '', run: () => undefined }
  const entries = [
    { ...entry, key: 'a', label: 'Operations', gutter: 'OPS' },
    { ...entry, key: 'b', label: 'Public API', gutter: 'API' },
  ]
  assert.deepEqual(
    matchEntries(entries, 'ops').map(({ key }) => key),
    ['a'],
  )
  assert.deepEqual(
    matchEntries(entries, 'pub').map(({ key }) => key),
    ['b'],
  )
})

test('finds commands by words of the language and by English ones', () => {
  const entry = { kind: 'command' as const, hint: '', gutter: '', run: () => undefined }
  const entries = (['theme', 'print', 'assignee'] as const).map((key) => ({
    ...entry,
    key,
    label: 'Ein Befehl',
    words: [ENGLISH_WORDS[key], germanPalette.words[key]],
  }))
  for (const [typed, key] of Object.entries({
    Thema: 'theme',
    drucken: 'print',
    print: 'print',
    zuweisen: 'assignee',
  })) {
    assert.deepEqual(
      matchEntries(entries, typed).map((one) => one.key),
      [key],
      typed,
    )
  }
})

const highlight = (text: string, typed: string) => {
  const match = matchText(text, toSearchWords(typed))
  return (
    match &&
    splitByMatch(text, match)
      .map((piece, index) => (index % 2 ? `[${piece}]` : piece))
      .join('')
  )
}

test('matches word beginnings in any order and case', () => {
  assert.equal(highlight('Build the version switcher', 'VER bu'), '[Bu]ild the [ver]sion switcher')
  assert.equal(highlight('Convert it', 'ver'), 'Con[ver]t it')
  assert.equal(highlight('Überblick über alles', 'über'), '[Über]blick über alles')
  assert.equal(highlight('Build', 'x'), undefined)
  assert.equal(highlight('Anything', '  '), 'Anything')
})

test('scores the beginning of the text above word beginnings, and those above the rest', () => {
  const score = (text: string) => matchText(text, ['ver'])?.score ?? 0
  assert.ok(score('Version') > score('A version'))
  assert.ok(score('A version') > score('Convert'))
})

test('merges overlapping ranges', () => {
  assert.equal(highlight('version', 'ver version'), '[version]')
})

const command = (key: string, label: string, words: readonly string[] = []) => ({
  ...{ key, label, words, kind: 'command' as const, hint: '', gutter: '' },
  run: () => undefined,
})

const COMMANDS = [
  command('status', 'Status', [ENGLISH_WORDS.status]),
  command('priority', 'Priority', [ENGLISH_WORDS.priority]),
  command('assignee', 'Assignee', [ENGLISH_WORDS.assignee]),
  command('due', 'Due date', [ENGLISH_WORDS.due]),
  command('print', 'Print', [ENGLISH_WORDS.print]),
  command('timeline', 'Timeline'),
  command('calendar', 'Calendar'),
  command('theme', 'Switch to dark theme', [ENGLISH_WORDS.theme]),
  command('notifications', 'Change notifications', [ENGLISH_WORDS.notifications]),
  command('language', 'Sprache ändern', [germanPalette.words.language]),
]

const MISTYPED = [
  ['a wrong letter', 'stayus', 'status'],
  ['a wrong first letter', 'orint', 'print'],
  ['a missing letter', 'priorty', 'priority'],
  ['a missing letter of five', 'prnt', 'print'],
  ['a letter too many', 'calenndar', 'calendar'],
  ['two swapped letters', 'tiemline', 'timeline'],
  ['two swapped letters in a beginning', 'asisg', 'assignee'],
  ['two errors in ten letters', 'notifcatons', 'notifications'],
  ['an error in one of two words', 'drak theme', 'theme'],
  ['an error in four letters', 'drak', undefined],
  ['an error in one of two long words', 'theem switch', 'theme'],
  ['an error in a synonym', 'dedline', 'due'],
  ['an umlaut that was left out, and an error', 'sprahce andern', 'language'],
  ['two errors in six letters', 'statsu s', 'status'],
  ['two errors in seven letters', 'pirotiy', undefined],
  ['an error in a short word', 'dpe', undefined],
] as const

for (const [what, typed, key] of MISTYPED) {
  test(`${key ? 'forgives' : 'does not forgive'} ${what}: ${typed}`, () => {
    assert.equal(matchEntries(COMMANDS, typed)[0]?.key, key)
  })
}

test('offers what matches as typed, without what may have been meant', () => {
  const entries = [command('short', 'Shortcuts'), command('sort', 'Sort by title')]
  assert.deepEqual(
    matchEntries(entries, 'sort').map(({ key }) => key),
    ['sort'],
  )
})

test('highlights the word that was mistyped', () => {
  const match = matchText('Set the priority', ['prioirty'], true)
  assert.deepEqual(match?.ranges, [[8, 16]])
  assert.equal(match?.errors, 1)
})

test('finds a task by a mistyped title', () => {
  const tasks = [task(1, 'Write the handbook'), task(2, 'Translate the guide')]
  assert.deepEqual(
    matchLoadedTasks(tasks, 'handbok').map(({ number }) => number),
    [1],
  )
})
