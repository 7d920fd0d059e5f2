import { isInCodeBlock } from '#lib/markdown-code.ts'

/** An edit of a text, and the selection after it. */
export interface MarkdownEdit {
  from: number
  to: number
  insert: string
  select: [number, number]
}

/** Turns the selection into a link; a selected URL becomes its target. */
export function insertLink(text: string, start: number, end: number): MarkdownEdit {
  const inner = text.slice(start, end)
  const address = /^(https?:\/\/|mailto:)\S+$/.test(inner)
  const insert = address ? `[](${inner})` : `[${inner}](https://)`
  const at = address ? start + 1 : start + inner.length + 3
  return { from: start, to: end, insert, select: [at, address ? at : at + 8] }
}

/** Adds a prefix (`- `, `- [ ] `, `> `, `## `) to each selected line, or removes it from all. */
export function toggleLinePrefix(
  text: string,
  start: number,
  end: number,
  prefix: string,
): MarkdownEdit {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const stop = text.indexOf('\n', end)
  const to = stop < 0 ? text.length : stop
  const lines = text.slice(from, to).split('\n')
  const has = lines.every((line) => line.startsWith(prefix))
  const insert = lines
    .map((line) => (has ? line.slice(prefix.length) : `${prefix}${line}`))
    .join('\n')
  return { from, to, insert, select: [from + insert.length, from + insert.length] }
}

/** The marks of a list item: those of its quotes, its bullet or number, its checkbox. */
const ITEM =
  /^(?<indent>(?:[ \t]{0,3}>[ \t]?)*[ \t]*)(?:(?<bullet>[-*+])|(?<number>\d{1,9})(?<dot>[.)]))(?<space>[ \t]+)(?<box>\[[ xX]\][ \t]+)?/
const RULE = /^[ \t>]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,})$/

/**
 * Enter in a list item adds an item: the rest of the text goes to it, and before the text of an item it is a
 * new one above. After an empty item it ends the list. The numbers below count on.
 */
export function continueList(text: string, caret: number): MarkdownEdit | undefined {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  const stop = text.indexOf('\n', caret)
  const end = stop < 0 ? text.length : stop
  const line = text.slice(from, end)
  const { 0: marks, groups: { indent = '', bullet, number, dot, space = ' ', box } = {} } =
    ITEM.exec(line) ?? { 0: '' }
  if (
    marks === '' ||
    caret <= from + indent.length ||
    RULE.test(line) ||
    isInCodeBlock(text, caret)
  )
    return undefined
  const start = from + marks.length
  if (line.slice(marks.length).trim() === '') {
    const select = from + indent.trimEnd().length + (/>[ \t]$/.test(indent) ? 1 : 0)
    return { from: select, to: end, insert: '', select: [select, select] }
  }
  const marksOf = (count: number, checkbox: string | undefined) =>
    indent + (bullet ?? `${Number(number) + count}${dot}`) + space + (checkbox ?? '')
  const isBefore = caret <= start
  const emptyBox = box?.replace(/[xX]/, ' ')
  // The new item takes the number of the one that it stands before.
  const added = isBefore
    ? `${marksOf(0, emptyBox)}\n${marksOf(1, box)}`
    : `\n${marksOf(1, emptyBox)}`
  const [replaced, at] = isBefore ? [from, start] : [caret, caret]
  const select = isBefore ? from + marksOf(0, emptyBox).length : caret + added.length
  const rest = number === undefined ? '' : text.slice(end)
  const renumbered = number === undefined ? '' : countOn(rest, indent, Number(number) + 1)
  const insert = added + (renumbered === rest ? '' : text.slice(at, end) + renumbered)
  const to = renumbered === rest ? at : text.length
  return { from: replaced, to, insert, select: [select, select] }
}

/** Adds one to the numbers of the items that follow in a list, as far as they count on from a number. */
function countOn(rest: string, indent: string, first: number): string {
  const item = /^([ \t>]*)(\d{1,9})(?=[.)][ \t])/
  let expected = first
  let isList = true
  return rest
    .split('\n')
    .map((line) => {
      const [whole = '', before = '', number] = item.exec(line) ?? []
      const text = line.slice(indent.length)
      if (!isList || line === '' || /^[ \t]/.test(text)) return line
      isList = before === indent && Number(number) === expected && line.startsWith(indent)
      if (!isList) return line
      expected += 1
      return before + String(expected) + line.slice(whole.length)
    })
    .join('\n')
}

/**
 * Inserts a block after the line of the caret, or in its place if that is empty. Blank lines keep it
 * apart: a rule under a text would make a heading of that.
 */
export function insertBlock(
  text: string,
  caret: number,
  before: string,
  after: string,
): MarkdownEdit {
  const start = text.lastIndexOf('\n', caret - 1) + 1
  const stop = text.indexOf('\n', caret)
  const to = stop < 0 ? text.length : stop
  const isEmpty = text.slice(start, to).trim() === ''
  const from = isEmpty ? start : to
  const isFirst = text.slice(0, from).trim() === ''
  const lead = isFirst ? '' : isEmpty ? (text.slice(0, from).endsWith('\n\n') ? '' : '\n') : '\n\n'
  const trail = stop < 0 || text.startsWith('\n\n', to) ? '' : '\n'
  const select = from + lead.length + before.length
  return { from, to, insert: `${lead}${before}${after}${trail}`, select: [select, select] }
}
