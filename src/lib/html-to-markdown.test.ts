import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureCpuTime } from '#test/support/system/cpu-time.ts'
import { convertHtml } from './html-to-markdown.ts'

function convert(html: string): string {
  const steps = convertHtml(html)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

test('converts the text of web pages', () => {
  const html = `<html><head><style>p { color: red }</style></head><body><!--StartFragment-->
    <h2>Release <b>notes</b></h2>
    <p>Read <strong>this </strong>and <a href="https://a.example/x_(y)">the <em>guide</em></a>,
    not <a href="javascript:alert(1)">that</a>.</p>
    <ul><li>one<ol><li>first</li><li>second</li></ol></li><li><input type="checkbox" checked> two</li></ul>
    <blockquote><p>said</p><p>again</p></blockquote>
    <pre><code>if (a  &lt; b)\n  stop()</code></pre><p>Use <code>a*b*c</code> &amp; go<br>on</p>
    <table><tr><th>Name</th><th>Size | kB</th></tr><tr><td>a</td><td>1<br>2</td></tr></table>
    <img src="https://a.example/p.png" alt="plan"><img src="file:///c:/x.png"><!--EndFragment--></body></html>`
  assert.equal(
    convert(html),
    [
      '## Release notes',
      'Read **this** and [the *guide*](https://a.example/x_%28y%29), not that.',
      '- one\n  1. first\n  2. second\n- [x] two',
      '> said\n>\n> again',
      '```\nif (a  < b)\n  stop()\n```',
      'Use `a*b*c` & go\non',
      '| Name | Size \\| kB |\n| --- | --- |\n| a | 1 2 |',
      '![plan](https://a.example/p.png)',
    ].join('\n\n'),
  )
})

test('converts the text of Word and Google Docs', () => {
  const marker = (sign: string) =>
    `<![if !supportLists]><span style='mso-list:Ignore'>${sign}<span style='font:7.0pt'>&nbsp;&nbsp; </span></span><![endif]>`
  const item = (level: number, sign: string, text: string) =>
    `<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level${level} lfo1'>${marker(sign)}${text}<o:p></o:p></p>`
  assert.equal(
    convert(
      `<p class=MsoNormal>Dear <b><span lang=EN-US>team</span></b>,<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p>${item(1, '·', 'Bread')}${item(2, 'o', 'rye')}${item(1, '·', 'Milk')}<p class=MsoNormal>Bye</p>${item(1, '1.', 'First')}`,
    ),
    'Dear **team**,\n\n- Bread\n   - rye\n- Milk\n\nBye\n\n1. First',
  )
  assert.equal(
    convert(
      '<b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:700;">Bold</span><span style="font-weight:400;"> and </span><span style="font-style:italic">slanted</span></p><ul><li dir="ltr"><p role="presentation"><span>Item</span></p></li></ul></b>',
    ),
    '**Bold** and *slanted*\n\n- Item',
  )
})

test('escapes what would become markup, and nothing else', () => {
  assert.equal(
    convert('<p># no heading</p><p>snake_case *stars* 2 * 3, _under_ and [x](y) <now></p>'),
    '\\# no heading\n\nsnake_case \\*stars\\* 2 * 3, \\_under\\_ and [x\\](y)',
  )
})

test('takes time in proportion to the length of a text', () => {
  const repeated = (word: string) => word.repeat(120_000 / word.length)
  const texts = [
    `<p style="${repeated('mso-list:')}">a</p>`,
    `<span style="${repeated('text-decoration ')}">a</span>`,
    `<span style='${repeated('text-decoration:;')}'>a</span>`,
    `<b style="font-weight:${repeated(' ')}">a</b>`,
    `<table><tr><td><pre>a${repeated(' ')}a</pre></td></tr></table>`,
    `<a${repeated(' href="')}>a</a>`,
    repeated('<'),
  ]
  assert.ok(measureCpuTime(() => texts.map(convert), 1) < 5_000)
})

test('keeps the address of each link', () => {
  const link = (name: string) => `<a href="https://${name}.example">${name}</a>`
  const row = `<tr><td>${link('a')} ${link('b')}</td><td>${link('c')}${link('d')}</td></tr>`
  assert.equal(
    convert(`<p>${link('a')} ${link('b')}, <b>${link('c')}</b></p><table>${row}</table>`),
    [
      '[a](https://a.example) [b](https://b.example), [**c**](https://c.example)',
      '| [a](https://a.example) [b](https://b.example) | [c](https://c.example)[d](https://d.example) |\n| --- | --- |',
    ].join('\n\n'),
  )
})

test('ends code where it ends in quotes, lists and cells', () => {
  const code = '<pre>\na\n  b\n</pre>'
  assert.equal(
    convert(
      `<blockquote>${code}</blockquote><ol><li>one${code}</li><li>${code}two</li></ol><ul><li data-checked="true">${code}</li></ul><h2>${code}</h2><p>end</p>`,
    ),
    [
      '> ```\n> a\n>   b\n> ```',
      '1. one\n\n   ```\n   a\n     b\n   ```',
      '2. ```\n   a\n     b\n   ```\n\n   two',
      '- [x] \n\n  ```\n  a\n    b\n  ```',
      '```\na\n  b\n```',
      'end',
    ].join('\n\n'),
  )
  assert.equal(
    convert('<pre>```js\na\n```</pre><table><tr><td><pre>a\nb<td>c</table><p>end'),
    '````\n```js\na\n```\n````\n\n| ``` a b ``` | c |\n| --- | --- |\n\nend',
  )
})

test('leaves addresses as they are', () => {
  const address = 'https://example.com/_foo_bar_'
  assert.equal(
    convert(
      `<p>See ${address} or _this_, <a href="${address}">${address}</a> <a href="/x">${address}</a></p>`,
    ),
    `See ${address} or \\_this\\_, ${address} [https://example.com/\\_foo_bar\\_](/x)`,
  )
})

test('puts code with backticks between more of them', () => {
  assert.equal(
    convert('<p><code>a`b</code> <a href="/x"><code>``</code></a> <code>c</code></p>'),
    '``a`b`` [``` `` ```](/x) `c`',
  )
})

test('keeps the numbers of a list', () => {
  assert.equal(
    convert(
      '<ol start="9"><li>a</li><li>b<ul><li>c</li></ul></li></ol><ol start="x"><li>d</li></ol>',
    ),
    '9. a\n10. b\n    - c\n\n1. d',
  )
})
