import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberBoxes, ownImage, references, safeLink, type TreeNode, toggled } from './markdown.ts'

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

test('mentions and short ids within text become references, within links and code they stay', () => {
  const text = (value: string): TreeNode => ({ type: 'text', value })
  const tree: TreeNode = {
    type: 'root',
    children: [
      {
        type: 'paragraph',
        children: [text(`Ask <@${person}> about DOC-96, not xDOC-1 or <@usr_1>.`)],
      },
      { type: 'link', url: '/x', children: [text('DOC-96')] },
      { type: 'inlineCode', value: 'DOC-96' },
    ],
  }
  references(tree)
  const [paragraph, link, code] = tree.children ?? []
  assert.deepEqual(
    paragraph?.children?.map((node) => node.value ?? node.data?.hProperties),
    [
      'Ask ',
      { dataMention: person },
      ' about ',
      { dataTask: 'DOC-96' },
      ', not xDOC-1 or <@usr_1>.',
    ],
  )
  assert.deepEqual(link?.children, [text('DOC-96')])
  assert.equal(code?.value, 'DOC-96')
})

test('a box is ticked where it is, and unticked', () => {
  const source = 'a [x]\n\n- [ ] one\n- [x] two\n'
  assert.equal(toggled(source, source.indexOf('- [ ]')), 'a [x]\n\n- [x] one\n- [x] two\n')
  assert.equal(toggled(source, source.indexOf('- [x] two')), 'a [x]\n\n- [ ] one\n- [ ] two\n')
  assert.equal(toggled(source, source.length), source)
})

test('boxes are numbered through nested lists, and each is named by its own words', () => {
  const box = (): TreeNode => ({ type: 'element', tagName: 'input', properties: {} })
  const item = (offset: number, children: TreeNode[]): TreeNode => ({
    ...{ type: 'element', tagName: 'li', children, position: { start: { offset } } },
  })
  const list = (children: TreeNode[]): TreeNode => ({ type: 'element', tagName: 'ul', children })
  const [outer, inner] = [box(), box()]
  const words = (value: string): TreeNode => ({ type: 'text', value })
  numberBoxes(list([item(3, [outer, words(' one'), list([item(9, [inner, words(' two')])])])]))
  assert.deepEqual(outer.properties, { dataIndex: 0, dataOffset: 3, dataLabel: 'one' })
  assert.deepEqual(inner.properties, { dataIndex: 1, dataOffset: 9, dataLabel: 'two' })
})
