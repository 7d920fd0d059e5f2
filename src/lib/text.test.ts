import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '#test/support/data/code-points.ts'
import { anonymizePayload } from './anonymize.ts'
import { cutText } from './cut-text.ts'
import { fitTitle } from './fit-title.ts'
import { codePointLength, foldCase } from './fold-case.ts'
import { findNearestPath } from './nearest-name.ts'
import { toOneLine } from './one-line.ts'

const anyText = fc.string({ unit: anyCodePoint })

test('folds texts that look alike to the same text', () => {
  assert.equal(foldCase('E\u0301COLE'), 'école')
  assert.equal(foldCase('\u212bngstro\u0308m'), foldCase('ÅNGSTRÖM'))
  assert.equal(foldCase('TITLE I'), 'title i')
  assert.notEqual(foldCase('école'), foldCase('ecole'))
})

test('only normalizes to NFC and lower case', () => {
  fc.assert(fc.property(anyText, (text) => foldCase(text) === text.normalize('NFC').toLowerCase()))
})

test('counts length in code points', () => {
  assert.equal(codePointLength('a😀é'), 3)
  assert.equal(codePointLength('\ude00\ud83d'), 2)
  fc.assert(fc.property(anyText, (text) => codePointLength(text) === [...text].length))
})

test('cuts a text between characters, however many code points they have', () => {
  const cases: [text: string, maxLength: number, cut: string][] = [
    ['short', 10, 'short'],
    ['longer', 4, 'long'],
    ['ab👨‍👩‍👧‍👦c', 12, 'ab'],
    ['ab👨‍👩‍👧‍👦c', 13, 'ab👨‍👩‍👧‍👦'],
    ['🇩🇪🇫🇷', 6, '🇩🇪'],
    ['ae\u0301b', 2, 'a'],
    ['👍🏽!', 3, ''],
    ['न्दि', 2, ''],
  ]
  for (const [text, maxLength, cut] of cases) assert.equal(cutText(text, maxLength), cut, text)
  // What has no end is cut all the same, but no pair of surrogates is.
  const accents = `e${'\u0301'.repeat(500)}`
  assert.equal(cutText(accents, 300).length, 300)
  assert.ok(cutText(`${'👍'}${'\u200d👍'.repeat(200)}`, 300).isWellFormed())
})

test('takes a line of up to 500 characters as the title', () => {
  const line = '🙂'.repeat(500)
  assert.deepEqual(fitTitle(line), { title: line })
})

test('cuts a longer line at a word and keeps all of it in the description', () => {
  const line = 'word '.repeat(120).trim()
  const title = 'word '.repeat(100).trim()
  assert.deepEqual(fitTitle(line), { title, description: line })
  // The space is the first character that does not fit.
  const exact = 'x'.repeat(500)
  assert.deepEqual(fitTitle(`${exact} more`), { title: exact, description: `${exact} more` })
  const last = `${'x'.repeat(490)} ${'y'.repeat(30)}`
  assert.equal(fitTitle(last).title, 'x'.repeat(490))
})

test('cuts a word that is too long between two characters', () => {
  const line = '🙂'.repeat(501)
  assert.deepEqual(fitTitle(line), { title: '🙂'.repeat(500), description: line })
  assert.equal(fitTitle(`x${'👍🏽'.repeat(300)}`).title, `x${'👍🏽'.repeat(249)}`)
  const address = `See ${'a'.repeat(600)}`
  assert.equal(fitTitle(address).title, `See ${'a'.repeat(496)}`)
})

test('makes one blank of white space of every kind, and drops what nobody can type', () => {
  const text = ' a\tb\r\nc\u000bd\fe\u0085f\u2028g\u00a0\u3000h\u0000\u001b '
  assert.equal(toOneLine(text), 'a b c d e f g h')
  assert.equal(toOneLine('\ud800'), '\ufffd')
  const long = 'line\n'.repeat(200)
  assert.deepEqual(fitTitle(long), { title: 'line '.repeat(100).trim(), description: long })
})

const PATHS = [
  '/api/v1/me',
  '/api/v1/projects',
  '/api/v1/projects/:id/tasks',
  '/api/v1/tasks/:id',
  '/api/v1/tasks/:id/time-entries',
  '/api/v1/workspace/members',
  '/api/v1/events',
]

test('finds the path that was meant, with the id that was sent', () => {
  const task = `tsk_${'0'.repeat(26)}`
  const meant: Record<string, string | undefined> = {
    '/api/v1/members': '/api/v1/workspace/members',
    '/api/v1/workspaces/members': '/api/v1/workspace/members',
    '/api/v1/project': '/api/v1/projects',
    '/api/projects': '/api/v1/projects',
    '/api/v1/task/ENG-1': '/api/v1/tasks/ENG-1',
    [`/api/v1/tasks/${task}/time_entries`]: `/api/v1/tasks/${task}/time-entries`,
    '/api/v1/users': undefined,
    '/api/v1/foo/bar/baz': undefined,
  }
  assert.equal(findNearestPath(`/api/v1/${'a/'.repeat(4_000)}`, PATHS), undefined)
  const found = Object.fromEntries(
    Object.keys(meant).map((path) => [path, findNearestPath(path, PATHS)]),
  )
  assert.deepEqual(found, meant)
})

const ID = 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'
const OTHER = 'usr_01k2m3n4p5q6r7s8t9v0w1x2y4'

test('removes only the personal data of one user from an event', () => {
  const actor = (id: string, name: string) =>
    `"actor":{"type":"user","user_id":"${id}","name":${JSON.stringify(name)},"credential_id":null}`
  const record = (id: string, name: string, email: string | null, avatar: string | null) =>
    `"data":{"id":"${id}","name":${JSON.stringify(name)},"email":${JSON.stringify(email)},"avatar_url":${JSON.stringify(avatar)},"role":"member"}`
  const before = `{${actor(ID, 'An "odd\\" name')},${record(ID, 'Zoë, "Z"', 'z@x.example', 'https://x/a')},"n":{"10":1,"9":2}}`
  const after = `{${actor(ID, 'Removed person')},${record(ID, 'Removed person', `${ID}@removed.invalid`, null)},"n":{"10":1,"9":2}}`
  assert.equal(anonymizePayload(before, ID), after)
  assert.equal(anonymizePayload(after, ID), after)
  assert.equal(anonymizePayload(before, OTHER), before)
  const comment = (name: string, avatar: string) =>
    `{"id":"cmt_1","author":{"id":"${ID}","name":"${name}","avatar_url":${avatar}},"body":"x"}`
  assert.equal(
    anonymizePayload(comment('Zoë', '"https://x/a"'), ID),
    comment('Removed person', 'null'),
  )
  // What somebody wrote into a text is escaped there.
  const text = JSON.stringify({ title: actor(ID, 'not a name') })
  assert.equal(anonymizePayload(text, ID), text)
})

test('removes former and new names from an event about a changed member', () => {
  const event = (id: string, name: string, changes: object) =>
    `{"type":"member.updated","data":{"id":"${id}","name":"${name}","email":"${name}","avatar_url":null,"role":"guest"},"changes":${JSON.stringify(changes)}}`
  const changes = {
    name: { from: 'Zoë', to: 'Zoe' },
    email: { from: 'zoe@x.example', to: 'z@x.example' },
    avatar_url: { from: null, to: 'https://x/zoe' },
    locale: { from: 'de', to: 'en' },
  }
  const before = event(ID, 'Zoe', changes)
  const redacted = JSON.parse(anonymizePayload(before, ID))
  const email = `${ID}@removed.invalid`
  assert.deepEqual([redacted.data.name, redacted.data.email], ['Removed person', email])
  assert.deepEqual(redacted.changes, {
    name: { from: 'Removed person', to: 'Removed person' },
    email: { from: email, to: email },
    avatar_url: { from: null, to: null },
    locale: { from: 'de', to: 'en' },
  })
  assert.equal(anonymizePayload(before, OTHER), before)
})
