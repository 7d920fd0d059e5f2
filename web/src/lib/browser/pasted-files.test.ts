import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getPastedFiles } from './pasted-files.ts'

const paste = (text: string, ...names: string[]) =>
  getPastedFiles({
    files: names.map((name) => new File(['x'], name)),
    getData: (type) => (type === 'text/plain' ? text : ''),
  }).map(({ name }) => name)

test('a paste has the files of a screenshot and of a file manager, which adds their names', () => {
  assert.deepEqual(paste('', 'image.png'), ['image.png'])
  assert.deepEqual(paste('one.txt', 'one.txt'), ['one.txt'])
  assert.deepEqual(paste('/home/mei/one.txt\n/home/mei/two.txt\n', 'one.txt', 'two.txt'), [
    'one.txt',
    'two.txt',
  ])
})

test('a paste of cells or paragraphs is text, although the program adds a picture of them', () => {
  assert.deepEqual(paste('Name\tHours\r\nMei\t3\r\n', 'image.png'), [])
  assert.deepEqual(paste('12', 'image.png'), [])
})
