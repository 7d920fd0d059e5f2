import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEmails } from './parse-emails.ts'

test('finds the addresses of what people type or paste from a mail program', () => {
  for (const [text, ...emails] of [
    ['a@x.example, B@x.example;c@x.example\nd@x.example a@X.example', 'a', 'b', 'c', 'd'],
    [
      'Ada King <a@x.example>, "King, Bo" <b@x.example>\nC. <c@x.example> D <d@x.example>',
      'a',
      'b',
      'c',
      'd',
    ],
    ['a@x.example Bo <b@x.example>', 'a', 'b'],
  ] as const) {
    const expected = emails.map((name) => `${name}@x.example`)
    assert.deepEqual(parseEmails(text), { emails: expected, invalid: [] })
  }
})

test('returns what is no address instead of leaving it out', () => {
  assert.deepEqual(parseEmails('tom@x.example, nonsense, anna@acme <x> a@b@x.example @x.example'), {
    emails: ['tom@x.example'],
    invalid: ['nonsense', 'anna@acme', 'x', 'a@b@x.example', '@x.example'],
  })
})
