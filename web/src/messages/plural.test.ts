import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setViewer } from '../lib/viewer.ts'
import { listed, plural } from './plural.ts'

setViewer({ locale: 'en-GB' })

test('a text takes the form of its number', () => {
  const forms = { one: '# task', other: '# tasks' }
  assert.deepEqual(
    [0, 1, 1204].map((n) => plural(n, forms)),
    ['0 tasks', '1 task', '1,204 tasks'],
  )
  assert.equal(listed(['Ines', 'Mei', 'Tomás']), 'Ines, Mei and Tomás')
})
