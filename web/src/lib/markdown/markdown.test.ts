import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { List, ListItem, Text } from 'mdast'
import { decodeNamedCharacterReference as decoded } from './entities.ts'
import {
  getItemText,
  splitReferences,
  toAttachmentImage,
  toggleCheckbox,
  toSafeLink,
} from './markdown.ts'
import { markdownToPlainText } from './plain-text.ts'

const ORIGIN = 'https://docket.example'
const person = `usr_${'0'.repeat(26)}`
const attachment = `/api/v1/attachments/att_${'0'.repeat(26)}/content`

test('allows links to http, https, mailto and this origin only', () => {
  assert.deepEqual(toSafeLink('https://x.example/a?b#c', ORIGIN), {
    href: 'https://x.example/a?b#c',
    own: false,
  })
  assert.deepEqual(toSafeLink('mailto:a@b.example', ORIGIN), {
    href: 'mailto:a@b.example',
    own: false,
  })
  assert.deepEqual(toSafeLink('/t/DOC-12#c', ORIGIN), { href: '/t/DOC-12#c', own: true })
  assert.deepEqual(toSafeLink('//x.example/a', ORIGIN), { href: 'https://x.example/a', own: false })
  assert.deepEqual(toSafeLink('#note', ORIGIN), { href: '#note', own: true })
  const double = 'https://docket.example//x.example'
  assert.deepEqual(toSafeLink(double, ORIGIN), { href: double, own: true })
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
    assert.equal(toSafeLink(url, ORIGIN), undefined, url)
  }
})

test('allows images only if they are attachments on this origin', () => {
  assert.equal(toAttachmentImage(attachment, ORIGIN), attachment)
  assert.equal(toAttachmentImage(`${ORIGIN}${attachment}`, ORIGIN), attachment)
  for (const url of [
    `https://x.example${attachment}`,
    '/api/v1/tasks',
    `${attachment}/../../../tasks`,
    'data:image/png;base64,AAAA',
    `//x.example${attachment}`,
  ]) {
    assert.equal(toAttachmentImage(url, ORIGIN), undefined, url)
  }
})

test('splits mentions and short ids from the text around them', () => {
  assert.deepEqual(splitReferences(`Ask <@${person}> about DOC-96, not xDOC-1 or <@usr_1>.`), [
    'Ask ',
    { mention: person },
    ' about ',
    { task: 'DOC-96' },
    ', not xDOC-1 or <@usr_1>.',
  ])
  assert.deepEqual(splitReferences('DOC-96'), [{ task: 'DOC-96' }])
  const tasksOf = (text: string) =>
    splitReferences(text).flatMap((part) =>
      typeof part === 'object' && 'task' in part ? part.task : [],
    )
  for (const text of [
    'DOC-1.5',
    'DOC-1-2',
    'DOC-1,5',
    'DOC-1-fix',
    'DOC-1.md',
    'A-DOC-1',
    'v.DOC-1',
  ])
    assert.deepEqual(tasksOf(text), [], text)
  const alone = 'DOC-1, DOC-2. (DOC-3)-DOC-4/DOC-5,DOC-6: 请看DOC-7吧 DOC-8…DOC-9'
  assert.deepEqual(
    tasksOf(alone),
    Array.from({ length: 9 }, (_, at) => `DOC-${at + 1}`),
  )
  assert.deepEqual(splitReferences(''), [])
})

test('toggles the checkbox at an offset', () => {
  const source = 'a [x]\n\n- [ ] one\n- [x] two\n'
  assert.equal(toggleCheckbox(source, source.indexOf('- [ ]')), 'a [x]\n\n- [x] one\n- [x] two\n')
  assert.equal(
    toggleCheckbox(source, source.indexOf('- [x] two')),
    'a [x]\n\n- [ ] one\n- [ ] two\n',
  )
  assert.equal(toggleCheckbox(source, source.length), source)
})

test("labels a checkbox with its item's text, without nested lists", () => {
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
  assert.deepEqual([outer, inner].map(getItemText), ['one!', 'two!'])
})

test('decodes named character references and leaves unknown names as they are', () => {
  const names = {
    amp: '&',
    lt: '<',
    nbsp: '\u00a0',
    yuml: 'ÿ',
    eacute: 'é',
    Omega: 'Ω',
    hellip: '…',
  }
  for (const [name, character] of Object.entries({
    ...names,
    euro: '€',
    diams: '♦',
    lbrack: '[',
  })) {
    assert.equal(decoded(name), character, name)
  }
  assert.equal(decoded('nothing'), false)
  assert.equal(decoded('constructor'), false)
})

test('removes Markdown syntax', () => {
  const expected: Record<string, string> = {
    '## Done\n\nAll **of it**, _really_': 'Done All of it, really',
    '- [ ] look\n- [x] ask\n1. then': 'look ask then',
    '> quoted *words*': 'quoted words',
    'See [the guide](https://x.example/a_b_c) and ![a picture](/internal/attachments/a)':
      'See the guide and a picture',
    '```ts\nconst a = 1\n```\nafter': 'const a = 1 after',
    'Run `npm test` ~~now~~': 'Run npm test now',
    'one\n\n---\n\ntwo': 'one two',
    'cut off [in a link](https://exam': 'cut off in a link',
    '<!-- Please search\nfirst -->\n### Steps\n\nIt <!-- really --> breaks.': 'Steps It breaks.',
    'Seen <!-- cut off in a com': 'Seen',
  }
  for (const [source, words] of Object.entries(expected))
    assert.equal(markdownToPlainText(source), words)
})

test('keeps characters that are not Markdown syntax', () => {
  const same = ['2 * 3 * 4', 'snake_case_name', 'a > b', '#42 is fixed', 'C:temp']
  for (const text of same) assert.equal(markdownToPlainText(text), text)
  assert.equal(markdownToPlainText('\\*not bold\\*'), '*not bold*')
  assert.equal(markdownToPlainText('<b>raw</b> & co'), '<b>raw</b> & co')
})
