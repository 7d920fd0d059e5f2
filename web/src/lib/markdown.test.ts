import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { List, ListItem, Text } from 'mdast'
import { ownImage, partsOf, safeLink, toggled, wordsOf } from './markdown.ts'

const HERE = 'https://docket.example'
const person = `usr_${'0'.repeat(26)}`
const attachment = `/api/v1/attachments/att_${'0'.repeat(26)}/content`

test('a link is followed only to http, https, mailto and this place', () => {
  assert.deepEqual(safeLink('https://x.example/a?b#c', HERE), {
    href: 'https://x.example/a?b#c',
    own: false,
  })
  assert.deepEqual(safeLink('mailto:a@b.example', HERE), { href: 'mailto:a@b.example', own: false })
  assert.deepEqual(safeLink('/t/DOC-12#c', HERE), { href: '/t/DOC-12#c', own: true })
  assert.deepEqual(safeLink('//x.example/a', HERE), { href: 'https://x.example/a', own: false })
  assert.deepEqual(safeLink('#note', HERE), { href: '#note', own: true })
  const double = 'https://docket.example//x.example'
  assert.deepEqual(safeLink(double, HERE), { href: double, own: true })
  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://docket.example/1',
    'file:///etc/passwd',
    'http://[',
  ]) {
    assert.equal(safeLink(url, HERE), undefined, url)
  }
})

test('an image is shown only if it is an attachment of this place', () => {
  assert.equal(ownImage(attachment, HERE), attachment)
  assert.equal(ownImage(`${HERE}${attachment}`, HERE), attachment)
  for (const url of [
    `https://x.example${attachment}`,
    '/api/v1/tasks',
    `${attachment}/../../../tasks`,
    'data:image/png;base64,AAAA',
    `//x.example${attachment}`,
  ]) {
    assert.equal(ownImage(url, HERE), undefined, url)
  }
})

test('mentions and short ids within a text are apart from it', () => {
  assert.deepEqual(partsOf(`Ask <@${person}> about DOC-96, not xDOC-1 or <@usr_1>.`), [
    'Ask ',
    { mention: person },
    ' about ',
    { task: 'DOC-96' },
    ', not xDOC-1 or <@usr_1>.',
  ])
  assert.deepEqual(partsOf('DOC-96'), [{ task: 'DOC-96' }])
  assert.deepEqual(partsOf(''), [])
})

test('a box is ticked where it is, and unticked', () => {
  const source = 'a [x]\n\n- [ ] one\n- [x] two\n'
  assert.equal(toggled(source, source.indexOf('- [ ]')), 'a [x]\n\n- [x] one\n- [x] two\n')
  assert.equal(toggled(source, source.indexOf('- [x] two')), 'a [x]\n\n- [ ] one\n- [ ] two\n')
  assert.equal(toggled(source, source.length), source)
})

test('a box is called by the words of its item, not by those of the lists in it', () => {
  const text = (value: string): Text => ({ type: 'text', value })
  const item = (value: string, children: List[] = []): ListItem => ({
    type: 'listItem',
    children: [
      { type: 'paragraph', children: [text(value), { type: 'strong', children: [text('!')] }] },
      ...children,
    ],
  })
  const inner = item('two')
  const outer = item('one', [{ type: 'list', children: [inner] }])
  assert.deepEqual([outer, inner].map(wordsOf), ['one!', 'two!'])
})
