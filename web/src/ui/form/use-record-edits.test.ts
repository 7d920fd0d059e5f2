import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pickChangedFields } from './use-record-edits.ts'

test('picks only the fields that differ from the record, lists by their items', () => {
  const webhook = { id: 'whk', url: 'https://a.example', events: ['task.created'], about: null }
  const same = { url: 'https://a.example', events: ['task.created'], about: null }
  assert.deepEqual(pickChangedFields(webhook, same), {})
  assert.deepEqual(pickChangedFields(webhook, { ...same, events: ['*'], about: 'Build' }), {
    events: ['*'],
    about: 'Build',
  })
})
