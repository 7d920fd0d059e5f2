import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { measureCpuTime } from '#test/support/system/cpu-time.ts'
import { parseMarkdown } from './parse-markdown.ts'

const MAX_LENGTH = 65_536
const fill = (text: string) => text.repeat(Math.ceil(MAX_LENGTH / text.length)).slice(0, MAX_LENGTH)

/**
 * Each takes the unbounded parser between 0.5 s and several minutes, or overflows its stack. Twenty
 * times what the slowest one takes now, so that a busy machine fails no test.
 */
const MAX_CPU_MS = 4_000

const PATHOLOGICAL: readonly string[] = [
  ...['*a_ ', '*_', '**a', '~a~', '> ', '> - ', '1. ', '- a\n  - b\n', ']', 'a$[^'].map(fill),
  ...['[a](b ', '<?a ', '<!A ', '+>\\> ', 'a\n-\n', '1.\n', '``<    +-'].map(fill),
  fill(`${'> '.repeat(50)}a${'\na'.repeat(2_000)}\n`),
  Array.from({ length: 360 }, (_, at) => '`'.repeat(at)).join(' '),
  `${'|a'.repeat(8_000)}\n${'|-'.repeat(8_000)}\n${'|'.repeat(30_000)}`,
  `www.a${"'".repeat(60_000)}b`,
  `${'!['.repeat(20)}${'- '.repeat(32_000)}`,
  `${'[a'.repeat(16_000)}${'](b)'.repeat(8_000)}`,
]

test('ends the parsing of texts that would stop the page', () => {
  for (const text of PATHOLOGICAL) {
    // The fastest of several runs only where one is too slow, which takes long.
    const measure = (tries: number) => measureCpuTime(() => parseMarkdown(text), tries)
    let cpuMs = measure(1)
    if (cpuMs >= MAX_CPU_MS) cpuMs = measure(4)
    assert.ok(cpuMs < MAX_CPU_MS, `${JSON.stringify(text.slice(0, 20))}: ${cpuMs} ms`)
  }
})

test('shows the texts that stop an unbounded parser as their source', () => {
  for (const text of ['*a_ ', '*_', '> ', '1. ']) {
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
    fill('Lorem ipsum dolor sit amet, consectetur adipiscing elit. '),
    fill('A paragraph with *emphasis*, `code` and a [link](https://docket.example).\n\n'),
    `\`\`\`\n${fill('    at run (node:internal/[eval]:1:1) *a_ `x` <y>\n')}\n\`\`\``,
    '- [ ] buy milk, DOC-12 and **bread**\n'.repeat(1_000),
    Array.from({ length: 12 }, (_, at) => `${' '.repeat(at * 4)}- level ${at}`).join('\n'),
    `${'> '.repeat(12)}quoted\n`,
    `| a | b | c |\n|---|---|---|\n${'| 1 | *2* | `3` |\n'.repeat(400)}`,
  ]
  for (const text of texts) assert.ok(parseMarkdown(text), text.slice(0, 40))
})
