import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownToPlainText } from './plain-text.ts'

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
