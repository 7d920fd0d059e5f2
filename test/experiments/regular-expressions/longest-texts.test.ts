import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertHtml } from '#lib/html-to-markdown/convert-html.ts'
import { findCodeRanges } from '#lib/markdown-code.ts'
import { createSnippet } from '#lib/snippet.ts'
import { validatePassword } from '#wire/password-policy.ts'
import { findMarkedName } from '../../../web/src/lib/markdown/typed-mentions.ts'
import { parseMarkdown } from '../../../web/src/ui/lazy/parse-markdown.ts'
import { measureFastestRun } from './regular-expressions.ts'

const MAX_LENGTH = 65_536
const fill = (text: string) => text.repeat(Math.ceil(MAX_LENGTH / text.length)).slice(0, MAX_LENGTH)

/**
 * Each takes the unbounded parser between 0.5 s and several minutes, or overflows its stack. Twenty
 * times what the slowest one takes now, so that a busy machine fails no test.
 */
const MAX_PARSE_MS = 4_000

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

test('ends the parsing of Markdown that would stop the page', () => {
  for (const text of PATHOLOGICAL) {
    const ms = measureFastestRun(() => parseMarkdown(text), MAX_PARSE_MS)
    assert.ok(ms <= MAX_PARSE_MS, `${JSON.stringify(text.slice(0, 20))}: ${ms} ms`)
  }
})

test('finds the code of the longest texts in a moment', () => {
  for (const part of ['`', '` `` ', '> ', '- ', '    ', '\t', '\n', '```\n', '`\n', '\\`'])
    assert.ok(measureFastestRun(() => findCodeRanges(fill(part)), 1_000) <= 1_000, part)
})

test('finds the name being typed at the end of the longest line in a moment', () => {
  const find = () => [`@${'a'.repeat(2_000)}@`, `@${'a '.repeat(20_000)}`].map(findMarkedName)
  assert.ok(measureFastestRun(find, 1_000) <= 1_000)
})

test('bounds the work to convert HTML', async () => {
  const texts = ['<div>', '<b>', '<p><b id=1>', '<ul><li>', '<blockquote>', '<a href="/x"><p>', '<']
  const tables = [`<table>${fill('x<b></b>')}`, `<table>${fill('<tr><td rowspan=99 colspan=99>a')}`]
  const styles = [`<p style="${fill('mso-list:')}">a</p>`, `<a${fill(' href="')}>a</a>`]
  const startedAt = process.cpuUsage()
  await Promise.all([...texts.map(fill), ...tables, ...styles].map((one) => convertHtml(one)))
  const { user, system } = process.cpuUsage(startedAt)
  assert.ok(user + system < 20_000_000, `${user + system} µs`)
})

test('cuts a snippet of the longest text within 20 ms', () => {
  const text = `${'ba'.repeat(16_000)} ${'lorem '.repeat(6_000)}`.slice(0, 65_520)
  const cut = () => createSnippet(`${text} needle`, ['needle', 'a'])
  assert.ok(measureFastestRun(cut, 20) <= 20)
})

test('checks the worst password in a moment', () => {
  const worst = `${'abcd'.repeat(63)}k`
  assert.ok(measureFastestRun(() => validatePassword('password', worst), 20) <= 20)
})
