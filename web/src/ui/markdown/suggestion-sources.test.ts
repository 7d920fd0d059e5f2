import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestTasks } from './suggestion-sources.ts'

test('finds tasks by at most three words after a #', () => {
  const tasks = suggestTasks({
    findLoaded: (typed) => [{ short_id: 'DOC-1', title: typed }],
    find: () => Promise.resolve([]),
  })
  const find = (text: string) => tasks(text, text.length)?.options[0]?.label
  assert.equal(find('see #print the report'), 'print the report')
  assert.equal(find('see #print '), 'print ')
  assert.equal(find('#'), '')
  assert.equal(find('#urgent please look here'), undefined)
  assert.equal(find('#urgent please look '), undefined)
  assert.equal(find('# heading'), undefined)
})
