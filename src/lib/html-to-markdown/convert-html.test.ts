import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertHtml, TooManyElementsError } from './convert-html.ts'

/** What elements of pages become, each with its Markdown. */
const ELEMENTS: Record<string, readonly [html: string, markdown: string]> = {
  'marks beside punctuation': [
    '<p><b>Hinweis:</b>bitte bis morgen</p><p>请点击<strong>“保存”</strong>按钮</p><p>See <b>(new)</b>item</p>',
    '**Hinweis:**&#x62;itte bis morgen\n\n请点&#x51FB;**“保存”**&#x6309;钮\n\nSee **(new)**&#x69;tem',
  ],
  'marks around spaces, and of parts of words': [
    '<p>a<b> bold </b>and <i>it</i><b>bo</b><b>ld</b> <strong><em>both</em> strong</strong> <s>gone</s></p>',
    'a **bold** and *it*__bold *both* strong__ ~~gone~~',
  ],
  'marks around blocks': [
    '<b><p>one<br>two</p><ul><li>three</li></ul></b>',
    '**one**\n**two**\n\n- **three**',
  ],
  'text that is markup in Markdown': [
    '<div>Kind regards</div><div>------------</div><div>Jo Miller</div><p>Total<br>=====<br>12</p><p>10~20 people, 30~40 chairs</p><p>Add &lt;!-- more --&gt; after</p><p>Write &amp;amp; for AT&amp;T</p><p>1986. A great year</p><p>&gt; 5 errors</p><p>Legend<br>~~~<br>after</p><p># no heading</p><p>snake_case *stars* 2 * 3, _under_ and [x](y) `c`</p><p>| a | b |<br>| --- | --- |</p>',
    [
      'Kind regards\n\\------------\nJo Miller',
      'Total\n\\=====\n12',
      '10\\~20 people, 30\\~40 chairs',
      'Add \\<!-- more --> after',
      'Write \\&amp; for AT&T',
      '1986\\. A great year',
      '\\> 5 errors',
      'Legend\n\\~\\~\\~\nafter',
      '\\# no heading',
      'snake_case \\*stars\\* 2 * 3, \\_under\\_ and \\[x]\\(y) \\`c\\`',
      '\\| a | b |\n\\| --- | --- |',
    ].join('\n\n'),
  ],
  'addresses, which are links by themselves': [
    '<p>See https://example.com/_foo_bar_ or a_b@c.example, <b>https://a.example/x*y</b>! <a href="https://b.example/">https://b.example/</a></p>',
    'See https://example.com/_foo_bar_ or a_b@c.example, **<https://a.example/x*y>**! https://b.example/',
  ],
  'what is nearly an address': [
    '<p>raw.json ftp://c.example a\\:/ <b>www.öbb.example</b>x <i>www.</i>_</p>',
    'raw.json ftp://c.example a\\\\:/ **www\\.öbb.example**x *www\\.*\\_',
  ],
  links: [
    '<p><a href="https://a.example/x_(y)?a=1&amp;b">the <em>guide</em></a><a href="/x">x</a>, not <a href="javascript:alert(1)">that</a> <a href="#y">part</a> <b><a href="https://c.example">c</a></b></p>',
    '[the *guide*](https://a.example/x_\\(y\\)?a=1&b)[x](/x), not that part [**c**](https://c.example)',
  ],
  'lines and paragraphs': [
    '<div>a<br></div><div>b</div><div><br></div><div>c<br><br>d</div><p>&nbsp;</p><hr><p>e\nf</p>',
    'a\nb\n\nc\n\nd\n\n---\n\ne f',
  ],
  'sections, figures and details': [
    '<main><section><h2>Plan<br>B</h2>text</section><details><summary>More</summary><p>hidden</p></details><figure><img src="https://a.example/p.png" alt="x"><figcaption>A caption</figcaption></figure><img src="file:///c:/x.png" alt="lost"><img src="data:," alt="😄"></main><h3></h3>',
    '## Plan B\n\ntext\nMore\n\nhidden\n\n![x](https://a.example/p.png)\nA caption\n😄',
  ],
  'terms and their meaning': [
    '<dl><dt>API</dt><dd>An interface</dd><div><dt>CLI</dt><dd>A program</dd></div></dl>',
    '- API\n  An interface\n- CLI\n  A program',
  ],
  'lists within lists, and numbers': [
    '<ol start="5"><li>five<ul><li>a</li></ul></li><li><p>six</p></li><li value="9">nine</li></ol><ul><ul><li>deep</li></ul><li>one</li><ul><li>two</li></ul></ul>',
    '5. five\n   - a\n6. six\n\n9) nine\n\n- deep\n- one\n  - two',
  ],
  boxes: [
    '<ul><li><input type="checkbox" checked> a</li><li><label><input type="checkbox"><span></span></label><div><p>b</p></div></li><li data-checked="true">c</li><li role="checkbox" aria-checked="false"><img alt="unchecked" aria-roledescription="checkbox" src="data:,"><p>d</p></li><li>[x] e</li><li data-checked="true"><pre>f</pre></li></ul>',
    '- [x] a\n\n- [ ] b\n\n- [x] c\n\n- [ ] d\n\n- [x] e\n\n- [x] \u00a0\n\n  ```\n  f\n  ```',
  ],
  'boxes that are in no list': [
    '<p><input type="checkbox" checked="true"> a</p><table><tr><td><input type="checkbox"> b</td><td>c</td></tr></table>',
    '☑ a\n\n| ☐ b | c |\n| --- | --- |',
  ],
  'code with a line in each element': [
    '<pre class="brush"><code class="language-js"><div>let a = 1</div><div><br></div><div>  a*b</div></code></pre><code><div>x</div><div>y</div></code><p><code>a*b</code> <code>c`d</code></p>',
    '```js\nlet a = 1\n\n  a*b\n```\n\n```\nx\ny\n```\n\n`a*b` ``c`d``',
  ],
  'code beside the numbers of its lines, or in a frame': [
    '<table><tr><td class="rouge-gutter gl"><pre>1\n2\n</pre></td><td><pre>a\nb*\n</pre></td></tr></table><table><tr><td class="blob-num"></td><td>c</td></tr><tr><td class="blob-num">2</td><td>  d</td></tr></table><pre><div><div>python</div><button>Copy</button><div><code class="language-python">e\n</code></div></div></pre>',
    '```\na\nb*\n```\n\n```\nc\n  d\n```\n\n```python\ne\n```',
  ],
  'code alone': ['<pre><code># install\nnpm i *\n</code></pre>', '```\n# install\nnpm i *\n```'],
  'merged cells': [
    '<table><caption>Sales</caption><tr><th>Region</th><th>Product</th><th style="text-align:right">Units</th></tr><tr><td rowspan=2>EU</td><td>Cable</td><td>12</td></tr><tr><td>Hub</td><td>7</td></tr></table><table><tr><th colspan="2">Name</th><th>Age</th></tr><tr><td>Ada</td><td>Lovelace</td><td>36</td></tr></table>',
    'Sales\n\n| Region | Product | Units |\n| --- | --- | ---: |\n| EU | Cable | 12 |\n| | Hub | 7 |\n\n| Name | | Age |\n| --- | --- | --- |\n| Ada | Lovelace | 36 |',
  ],
  'cells of several lines': [
    '<table><tr><td>a | b<br>c</td><td><ul><li>x</li><li>y</li></ul></td></tr><tr><td><pre>p\nq</pre></td><td><p>r</p><p>s</p></td></tr></table>',
    '| a \\| b c | • x • y |\n| --- | --- |\n| `p q` | r s |',
  ],
  'tables in lists and quotes, and for the layout': [
    '<ul><li>Prices<table><tr><td>a</td><td>b</td></tr></table></li><li>Next</li></ul><blockquote><p>Q</p><table><tr><td>a</td><td>b</td></tr></table></blockquote><table><tr><td><table><tr><td>mail</td></tr></table></td><td>side</td></tr></table>',
    '- Prices\n\n  | a | b |\n  | --- | --- |\n\n- Next\n\n> Q\n>\n> | a | b |\n> | --- | --- |\n\nmail\n\nside',
  ],
  'raised and lowered text': [
    '<p>10<sup>6</sup> m<sup>2</sup>, H<sub>2</sub>O, x<sup>n,k</sup>, so<sup>[1]</sup>, 10<span style="vertical-align:super">6</span></p>',
    '10⁶ m², H₂O, x^(n,k), so\\[1], 10⁶',
  ],
  formulas: [
    '<span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math><span class="katex-html">x2</span></span> <math><mfrac><mn>1</mn><mn>2</mn></mfrac> <msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup></math>',
    'x^2 1/2 x^(n+1)',
  ],
  'readings of Japanese text': [
    '<p><ruby>漢字<rt>かんじ</rt></ruby>、<b>重要：</b>明日</p>',
    '漢字(かんじ)、**重要：**&#x660E;日',
  ],
  'a text of Docket itself': [
    '<p>See <a data-reference="ENG-1">ENG-1</a>, <span data-reference="&lt;@usr_01h00000000000000000000000&gt;">@Ada</span> and</p><ul><li><input type="checkbox" checked> done</li>\n<li><input type="checkbox"> open<ol><li>first</li><li>second</li></ol></li></ul>',
    'See ENG-1, <@usr_01h00000000000000000000000> and\n\n- [x] done\n- [ ] open\n  1. first\n  2. second',
  ],
  'what is not shown': [
    '<style>p{}</style><p>a<!-- b --><span style="display:none">c</span><script>d</script><span hidden>e</span></p>',
    'a',
  ],
  'parts of tables and lists alone': [
    '<tr><td>a</td><td>b</td></tr><li>c</li><p>d</p><td>e</td><td>f</td>',
    '| a | b |\n| --- | --- |\n\n- c\n\nd\n\n| e | f |\n| --- | --- |',
  ],
}

const wordMark = (sign: string) =>
  `<![if !supportLists]><span style='mso-list:Ignore'>${sign}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>`
const wordItem = (level: number, sign: string, text: string) =>
  `<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level${level} lfo1'>${wordMark(sign)}${text}<o:p></o:p></p>`

/** What programs put into the clipboard and into files. */
const PROGRAMS: Record<string, readonly [html: string, markdown: string]> = {
  Word: [
    `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p {} --></style><!--[if gte mso 9]><xml><o:x>1</o:x></xml><![endif]--></head><body><!--StartFragment--><h1>1.<span>&nbsp; </span>Scope</h1><p class=MsoNormal>Dear <b><span lang=EN-US>team</span></b>,<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p>${wordItem(2, 'o', 'rye')}${wordItem(1, '·', 'Milk')}<p class=MsoNormal>Bye</p>${wordItem(1, '3.', 'Third')}${wordItem(1, '4.', 'Fourth')}<!--EndFragment--></body></html>`,
    '# 1. Scope\n\nDear **team**,\n\n- rye\n- Milk\n\nBye\n\n3. Third\n4. Fourth',
  ],
  Outlook: [
    '<div class="WordSection1"><p class="MsoNormal"><span style="font-size:11.0pt;font-family:&quot;Calibri&quot;,sans-serif;color:#1F497D">Hi&nbsp;Jo,</span></p><table class="MsoNormalTable" border="0"><tbody><tr><td width="100"><p class="MsoNormal"><b>Total</b></p></td><td><p class="MsoNormal">CHF 12</p></td></tr></tbody></table><div><p><b>From:</b> Ada &lt;ada@example.com&gt;<br><b>Sent:</b> Monday</p></div></div>',
    'Hi Jo,\n\n| Total | CHF 12 |\n| --- | --- |\n\n**From:** Ada \\<ada@example.com>\n**Sent:** Monday',
  ],
  'Google Docs': [
    '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span style="font-weight:400;">Plan</span></h2><p dir="ltr"><span style="font-weight:700;">Bold</span><span style="font-weight:400;"> and </span><span style="font-style:italic;white-space:pre-wrap">slanted</span></p><ul><li dir="ltr" role="checkbox" aria-checked="true" aria-level="1"><img src="data:image/png;base64,AA==" alt="checked" aria-roledescription="checkbox"><p dir="ltr" role="presentation"><span style="font-weight:400">Order wood</span></p></li></ul><ol><li aria-level="1"><p role="presentation">one</p></li><ol><li aria-level="2"><p role="presentation">two</p></li></ol></ol></b><br class="Apple-interchange-newline">',
    '## Plan\n\n**Bold** and *slanted*\n\n- [x] Order wood\n\n1. one\n   1. two',
  ],
  'Google Sheets': [
    '<google-sheets-html-origin><style type="text/css"><!--td {border: 1px}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0"><colgroup><col width="100"/></colgroup><tbody><tr><td style="font-weight:bold">Task</td><td style="text-align:right">Hours</td></tr><tr><td>Draft &amp; check</td><td style="text-align:right">2</td></tr></tbody></table></google-sheets-html-origin>',
    '| Task | Hours |\n| --- | ---: |\n| Draft & check | 2 |',
  ],
  Excel: [
    '<html><body><table border=0 style="border-collapse:collapse"><!--StartFragment--><col width=64><tr height=20><td class=xl65>Name</td><td>Due</td></tr><tr><td>Call</td><td align=right>31.12.2026</td></tr><!--EndFragment--></table></body></html>',
    '| Name | Due |\n| --- | ---: |\n| Call | 31.12.2026 |',
  ],
  Notion: [
    '<meta charset="utf-8"><!-- notionvc: 1 --><h3>To do</h3><ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">Paint</span></li></ul><ul><li>[ ] Call<ul><li>today</li></ul></li></ul><figure class="callout"><div>💡</div><div>Tip</div></figure>',
    '### To do\n\n- [x] Paint\n\n* [ ] Call\n  - today\n\n💡\nTip',
  ],
  Confluence: [
    '<div data-node-type="actionList" data-task-list-local-id=""><div data-task-local-id="1" data-task-state="DONE">Ship</div><div data-task-local-id="2" data-task-state="TODO">Tell</div></div><div class="code-block"><pre><code data-language="java"><span class="linenumber">1</span>int a;</code></pre></div>',
    '- [x] Ship\n- [ ] Tell\n\n```java\nint a;\n```',
  ],
  Jira: [
    '<div class="user-content-block"><p>Steps:<br>\n1. open</p><ol>\n<li>log in</li>\n<li>see <tt>NPE</tt></li>\n</ol>\n<div class="preformatted panel"><div class="preformattedContent"><pre>at x()\n</pre></div></div></div>',
    'Steps:\n1\\. open\n\n1. log in\n2. see `NPE`\n\n```\nat x()\n```',
  ],
  GitHub: [
    '<h2 dir="auto" class="heading-element">Usage</h2><div class="highlight highlight-source-shell"><pre>npm i <span class="pl-k">*</span></pre></div><ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked=""> done <g-emoji alias="tada">🎉</g-emoji></li></ul><p><del>old</del> <kbd>Ctrl</kbd></p>',
    '## Usage\n\n```shell\nnpm i *\n```\n\n- [x] done 🎉\n\n~~old~~ `Ctrl`',
  ],
  Gmail: [
    '<div dir="ltr">Hi,<div><br></div><div>see <b>this</b>:</div><div>- one</div><div>-- <br></div><div class="gmail_quote"><div class="gmail_attr">On Mon Ada wrote:<br></div><blockquote class="gmail_quote">5 &gt; 3<br></blockquote></div></div>',
    'Hi,\n\nsee **this**:\n\\- one\n\\--\nOn Mon Ada wrote:\n\n> 5 > 3',
  ],
  Slack: [
    '<div class="p-rich_text_section">Hi <b data-stringify-type="bold">all</b><span class="c-mrkdwn__br" data-stringify-type="paragraph-break"></span>see</div><ul data-indent="0"><li data-stringify-indent="0">a</li></ul><ol data-indent="1"><li>b</li></ol><ul data-indent="0"><li>c</li></ul>',
    'Hi **all**\n\nsee\n\n- a\n  1. b\n- c',
  ],
  'Word Online': [
    '<div class="ListContainerWrapper"><ol start="1"><li data-aria-level="1"><p>a</p></li></ol></div><div class="ListContainerWrapper"><ul><li data-aria-level="2"><p>b</p></li></ul></div><div class="ListContainerWrapper"><ol start="2"><li data-aria-level="1"><p>c</p></li></ol></div>',
    '1. a\n   - b\n2. c',
  ],
  OneNote: [
    '<p data-tag="to-do">Call</p><p data-tag="to-do:completed">Paid</p><p data-tag="important">x</p>',
    '- [ ] Call\n- [x] Paid\n\nx',
  ],
  Evernote: [
    '<ul style="--en-todo:true;"><li style="--en-checked:true;"><div>a</div></li><li style="--en-checked:false;"><div>b</div></li></ul><div style="--en-codeblock:true;"><div>let a</div><div>&nbsp; a*b</div></div>',
    '- [x] a\n- [ ] b\n\n```\nlet a\n  a*b\n```',
  ],
  Quill: [
    '<ul><li data-list="checked">a</li><li data-list="unchecked">b</li></ul>',
    '- [x] a\n- [ ] b',
  ],
  Teams: [
    '<div style="font-size:14px"><span style="white-space:pre-wrap">first line\nsecond line</span></div><p><span style="font-weight:600">Done</span> <img alt="👍" class="emoji" src="https://a.example/1.png"></p>',
    'first line\nsecond line\n\n**Done** 👍',
  ],
}

for (const [what, texts] of Object.entries({ elements: ELEMENTS, programs: PROGRAMS }))
  test(`converts the ${what} that people paste and import to the text that they saw`, async () => {
    const expected = Object.entries(texts).map(([name, [, markdown]]) => [name, markdown])
    const converted = Object.entries(texts).map(
      async ([name, [html]]) => [name, await convertHtml(html)] as const,
    )
    assert.deepEqual(Object.fromEntries(await Promise.all(converted)), Object.fromEntries(expected))
  })

test('takes deeply nested elements, and refuses too many', async () => {
  const nested = await convertHtml(`${'<div>'.repeat(500)}<p>deep</p><p>text</p>`)
  assert.equal(nested, 'deep\ntext')
  await assert.rejects(convertHtml('<br>'.repeat(100_001)), TooManyElementsError)
})
