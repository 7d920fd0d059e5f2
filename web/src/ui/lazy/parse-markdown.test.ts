import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseMarkdown } from './parse-markdown.ts'

const MAX_LENGTH = 65_536
const fill = (text: string) => text.repeat(Math.ceil(MAX_LENGTH / text.length)).slice(0, MAX_LENGTH)

test('shows the texts that stop an unbounded parser as their source', () => {
  for (const text of ['*a_ ', '> ']) {
    assert.equal(parseMarkdown(fill(text)), undefined, text)
  }
})

test('renders ordinary texts of the full length', () => {
  const spec = readFileSync(new URL('../../../../docs/spec/api.md', import.meta.url), 'utf8').slice(
    0,
    MAX_LENGTH,
  )
  const texts = [
    spec,
    `\`\`\`\n${fill('    at run (node:internal/[eval]:1:1) *a_ `x` <y>\n')}\n\`\`\``,
    '- [ ] buy milk, DOC-12 and **bread**\n'.repeat(300),
    Array.from({ length: 12 }, (_, at) => `${' '.repeat(at * 4)}- level ${at}`).join('\n'),
    `${'> '.repeat(12)}quoted\n`,
    `| a | b | c |\n|---|---|---|\n${'| 1 | *2* | `3` |\n'.repeat(400)}`,
  ]
  for (const text of texts) assert.ok(parseMarkdown(text), text.slice(0, 40))
})
