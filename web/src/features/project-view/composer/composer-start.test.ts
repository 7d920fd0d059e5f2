import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSharedText } from './composer-start.ts'

const read = (shared: Record<string, string>) => readSharedText(`${new URLSearchParams(shared)}`)

test('reads what another app shares', () => {
  assert.deepEqual(read({ title: 'Read\nthis', text: 'Read\nthis', url: 'https://a.example' }), {
    title: 'Read this',
    description: 'https://a.example',
  })
})

test('puts what a title has no room for on top of the description', () => {
  const words = 'word '.repeat(150).trim()
  const { title, description } = read({ text: words, url: 'https://a.example' })
  const [rest = '', url] = description.split('\n\n')
  assert.ok(title.length <= 500)
  assert.equal(`${title} ${rest}`, words)
  assert.equal(url, 'https://a.example')
  assert.equal(read({ text: 'x'.repeat(501) }).description, 'x')
})
