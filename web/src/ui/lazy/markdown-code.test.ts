import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Nodes } from 'mdast'
import { findCodeRanges, isInCode } from '#lib/markdown-code.ts'
import { parseMarkdown } from './parse-markdown.ts'

/** The code of a text according to the parser that renders it. */
function findRenderedCode(text: string): { from: number; to: number }[] {
  const visit = (node: Nodes): { from: number; to: number }[] => {
    if (node.type === 'code' || node.type === 'inlineCode') {
      const { start, end } = node.position ?? {}
      return [{ from: start?.offset ?? 0, to: end?.offset ?? 0 }]
    }
    return 'children' in node ? node.children.flatMap(visit) : []
  }
  const tree = parseMarkdown(text)
  return tree ? visit(tree) : []
}

/** The text with its letters that are code in upper case. */
const markCode = (text: string, ranges: readonly { from: number; to: number }[]) =>
  text.replace(/[a-z]/g, (letter, at: number) =>
    ranges.some(({ from, to }) => from <= at && at < to) ? letter.toUpperCase() : letter,
  )

const PARTS = [
  ...['a', 'b', ' ', '  ', '    ', '\t', '\n', '\n', '\n\n', '`', '``', '```', '````', '~~~', '\\'],
  ...['> ', '>', '- ', '-', '1. ', '2) ', '# ', '---', '===', '***', '- a\n  '],
]

test('finds the code that the parser of rendered texts finds', () => {
  const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 14 }).map((all) => all.join(''))
  const check = (text: string) =>
    assert.equal(markCode(text, findCodeRanges(text)), markCode(text, findRenderedCode(text)))
  fc.assert(fc.property(texts, check), { numRuns: 300, seed: 7 })
})

test('tells code that is being written from text', () => {
  const isCode = (text: string) => {
    const at = text.indexOf('|')
    return isInCode(text.replace('|', ''), at)
  }
  const code = [
    ...[
      '```\ncd /|',
      '```\n|\n```',
      '~~~sh\nssh @Rob|\n~~~\n',
      '> ```\n> @R|',
      '- one\n  ```\n  @R|',
    ],
    ...[
      '    ls #Fir|',
      'text\n\n    a\n\n    @|',
      '`@R|`',
      'run `a @R|',
      '``a ` @R|',
      '- `@R|\n- b',
    ],
  ]
  const text = [
    ...[
      '@R|',
      '```\na\n```\n@R|',
      '`a` @R|',
      'it is \\` @R|',
      'text\n    @R|',
      '- one\n    @R|',
      '|`a`',
    ],
    ...['`a\n\n@R|', '<!-- a\n```\n-->\n@R|'],
  ]
  for (const one of code) assert.ok(isCode(one), one)
  for (const one of text) assert.ok(!isCode(one), one)
})
