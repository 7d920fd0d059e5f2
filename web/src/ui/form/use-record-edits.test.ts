import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepLaterEdits, pickChangedFields } from './use-record-edits.ts'

test('picks only the fields that differ from the record, lists by their items', () => {
  const webhook = { id: 'whk', url: 'https://a.example', events: ['task.created'], about: null }
  const same = { url: 'https://a.example', events: ['task.created'], about: null }
  assert.deepEqual(pickChangedFields(webhook, same), {})
  assert.deepEqual(pickChangedFields(webhook, { ...same, events: ['*'], about: 'Build' }), {
    events: ['*'],
    about: 'Build',
  })
})

test('keeps the fields that were changed while a form was being saved', () => {
  interface Account {
    name: string
    zone: string
    locale: string
  }
  const from: Partial<Account> = { name: 'A', zone: 'UTC', locale: 'en' }
  const to = { name: 'Ana Lou', zone: 'Asia/Tokyo', locale: 'de' }
  const sent = { name: ' Ana', zone: 'Asia/Tokyo' }
  const saved = { name: 'Ana', zone: 'Asia/Tokyo', locale: 'fr' }
  // The name is compared with what was saved; the language still with what the person saw.
  assert.deepEqual(keepLaterEdits<Account>({ from, to }, sent, saved), {
    from: { name: 'Ana', locale: 'en' },
    to: { name: 'Ana Lou', locale: 'de' },
  })
})
