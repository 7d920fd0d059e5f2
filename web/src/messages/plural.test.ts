import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setViewer } from '../lib/locale/viewer.ts'
import { formatList, plural } from './plural.ts'

setViewer({ locale: 'en-GB' })

test('selects the plural form and formats numbers and lists', () => {
  const forms = { one: '# task', other: '# tasks' }
  assert.deepEqual(
    [0, 1, 1204].map((n) => plural(n, forms)),
    ['0 tasks', '1 task', '1,204 tasks'],
  )
  assert.equal(formatList(['Ines', 'Mei', 'Tomás']), 'Ines, Mei and Tomás')
})
