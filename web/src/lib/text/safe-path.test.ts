import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSafePath } from './safe-path.ts'

test('continues at a path of this origin', () => {
  for (const path of ['/start', '/w/wsp_1/p/ENG?view=board&f=status:open#work', '/search?q=größe'])
    assert.equal(toSafePath(path), path)
})

test('continues at no other site (open redirect)', () => {
  for (const path of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/%2e%2e//evil.example/',
    '/..//evil.example/',
    'javascript:alert(1)',
    'evil.example',
    '',
  ]) {
    const safe = toSafePath(path)
    assert.equal(new URL(safe, 'http://a.invalid').host, 'a.invalid', path)
    if (!path.startsWith('/')) assert.equal(safe, '/start')
  }
})
