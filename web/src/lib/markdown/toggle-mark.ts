import {
  type CodeRange,
  findCodeRanges,
  isInCodeBlock,
  replaceOutsideCode,
} from '#lib/markdown-code.ts'
import type { MarkdownEdit } from './markdown-edit.ts'

/** A mark around words: bold, italic, code. */
export type InlineMark = '**' | '_' | '`'

interface TextRange {
  from: number
  to: number
}

/** Marks of one kind on both sides of a range, which they belong to. */
interface MarkLayer extends TextRange {
  run: string
}

/** How many characters of a run on both sides are the mark: `***` is bold and italic. */
const LENGTH_IN_RUN: Readonly<Record<InlineMark, (run: string) => number>> = {
  '**': (run) => (/^[*_]{2,}$/.test(run) ? 2 : 0),
  _: (run) => (/^(?:[*_]|[*_]{3})$/.test(run) ? 1 : 0),
  '`': (run) => (run.startsWith('`') ? run.length : 0),
}

/** The same mark within a text that gets it as a whole. */
const INNER_MARKS: Readonly<Record<InlineMark, RegExp>> = {
  '**': /(\*\*|__)(?=\S)(.*?\S)\1/g,
  _: /(?<![*_\\])(\*|(?<![\p{L}\p{N}])_)(?![*_\s])(.*?[^\s*_\\])\1(?![*_]|(?<=_)[\p{L}\p{N}])/gu,
  '`': /(?<!`)(`+)(?!`) ?(.*?[^`]) ?\1(?!`)/g,
}

/** What stands before the text of a line: quotes, lists, checkboxes, headings, names of footnotes. */
const LINE_START =
  /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)]|#{1,6}|\[\^[^\]\s]+\]:)(?=[ \t]|$)))*[ \t]*(?:\[[ xX]\][ \t]+)?/
/** The end of a heading, which is no text of it. */
const HEADING_END = /^[ \t>]*#{1,6}[ \t].*?(?<end>[ \t]+#+[ \t]*)$/
/** The line under the head of a table. */
const TABLE_RULE = /^[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*$/
/** A rule, the underline of a heading, or the line under the head of a table. */
const NO_TEXT = /^[ \t>]*[-*_=|: \t]*$/
/** Beside a letter, marks before such a character are no marks (CommonMark 0.31 §6.2). */
const PUNCTUATION = /["'.,:;!?]|(?![\0-\x7f])\p{P}/u
const WORD = /[\p{L}\p{N}]/u

/**
 * Puts a mark around the selection, or removes it if all of it has the mark. It hugs the words, line by line
 * and cell by cell: around spaces or across the mark of a list item it would be none. Blocks of code stay
 * as they are.
 */
export function toggleMark(
  text: string,
  start: number,
  end: number,
  mark: InlineMark,
): MarkdownEdit {
  const unchanged: MarkdownEdit = {
    from: start,
    to: end,
    insert: text.slice(start, end),
    select: [start, end],
  }
  if (start === end)
    return isInCodeBlock(text, start) ? unchanged : toggleMarkAtCaret(text, start, mark)
  const pieces = findTextPieces(text, start, end)
  const marked = pieces.map((piece) => ({
    piece,
    layer: piece.layers.find(({ run }) => LENGTH_IN_RUN[mark](run) > 0),
  }))
  const isRemoved = marked.every(({ layer }) => layer)
  const edits = marked.flatMap(({ piece, layer }) => {
    if (!layer) return [{ ...piece, ...addMark(text, piece, mark) }]
    return isRemoved ? [removeMark(text, layer, mark)] : []
  })
  const [first, last] = [edits[0], edits.at(-1)]
  if (!first || !last) return unchanged
  let insert = ''
  let at = first.from
  for (const edit of edits) {
    insert += text.slice(at, edit.from) + edit.insert
    at = edit.to
  }
  const margin = edits.length === 1 ? first.margin : 0
  const select: [number, number] = [first.from + margin, first.from + insert.length - margin]
  return { from: first.from, to: last.to, insert, select }
}

/** Between the two halves of a mark it is removed, elsewhere one is begun. */
function toggleMarkAtCaret(text: string, at: number, mark: InlineMark): MarkdownEdit {
  const { length } = mark
  if (text.slice(at - length, at) === mark && text.slice(at, at + length) === mark)
    return { from: at - length, to: at + length, insert: '', select: [at - length, at - length] }
  return { from: at, to: at, insert: mark + mark, select: [at + length, at + length] }
}

function addMark(text: string, { from, to }: TextRange, mark: InlineMark) {
  const strip = (part: string) => part.replace(INNER_MARKS[mark], '$2')
  const words = text.slice(from, to)
  if (mark === '`') {
    const inner = strip(words)
    const longest = Math.max(0, ...(inner.match(/`+/g) ?? []).map(({ length }) => length))
    const fence = '`'.repeat(longest + 1)
    const space = /^`|`$/.test(inner) ? ' ' : ''
    return { insert: fence + space + inner + space + fence, margin: fence.length + space.length }
  }
  // Within a word, an underscore is no mark.
  const isInWord = WORD.test(text[from - 1] ?? '') || WORD.test(text[to] ?? '')
  const sign = mark === '_' && isInWord ? '*' : mark
  return { insert: sign + replaceOutsideCode(words, strip) + sign, margin: sign.length }
}

function removeMark(text: string, { from, to, run }: MarkLayer, mark: InlineMark) {
  const length = LENGTH_IN_RUN[mark](run)
  const inner = text.slice(from + length, to - length)
  const isPadded = mark === '`' && /^ .*\S.* $/s.test(inner)
  return { from, to, insert: isPadded ? inner.slice(1, -1) : inner, margin: 0 }
}

/** The words of a selection, apart by lines and cells, each with the marks that it has as a whole. */
function findTextPieces(text: string, start: number, end: number) {
  const code = findCodeRanges(text)
  const pieces: (TextRange & { layers: MarkLayer[] })[] = []
  const lines = text.split('\n')
  const inTable = findTableLines(lines)
  const blocks = code.filter(({ kind }) => kind === 'block')
  let from = 0
  for (const [number, line] of lines.entries()) {
    const to = from + line.length
    const isCode = blocks.some((block) => block.from <= to && from <= block.to)
    if (from < end && to > start && !isCode && !NO_TEXT.test(line)) {
      for (const part of splitCells(line, inTable.has(number))) {
        const words = hugWords(text, {
          from: Math.max(start, from + part.from),
          to: Math.min(end, from + part.to),
        })
        if (words) pieces.push(readLayers(text, words, { from, to }, code))
      }
    }
    from = to + 1
  }
  return pieces
}

/** The text of a line without its marks; of a row of a table, that of each cell. */
function splitCells(line: string, isRow: boolean): TextRange[] {
  const from = LINE_START.exec(line)?.[0].length ?? 0
  const to = line.length - (HEADING_END.exec(line)?.groups?.end?.length ?? 0)
  if (!isRow) return [{ from, to }]
  const bars = [...line.matchAll(/(?<!\\)\|/g)].map(({ index }) => index)
  return [from - 1, ...bars].map((bar, at) => ({ from: bar + 1, to: bars[at] ?? line.length }))
}

function findTableLines(lines: readonly string[]): Set<number> {
  const rows = new Set<number>()
  let isTable = false
  for (const [at, line] of lines.entries()) {
    const head = lines[at - 1] ?? ''
    if (!isTable && line.includes('|') && TABLE_RULE.test(line) && head.includes('|')) {
      isTable = true
      rows.add(at - 1)
    }
    isTable &&= !/^[ \t>]*$/.test(line)
    if (isTable) rows.add(at)
  }
  return rows
}

/** Leaves out what marks cannot stand beside: spaces, the mark of a hard break, punctuation in a word. */
function hugWords(text: string, { from, to }: TextRange): TextRange | undefined {
  const words = text.slice(from, to)
  const [space = ''] = /^\s*/.exec(words) ?? []
  const kept = words.replace(/(?<!\\)\\$/, '').trimEnd()
  let [start, end] = [from + space.length, from + kept.length]
  if (start >= end) return undefined
  const isPunctuation = (at: number) => PUNCTUATION.test(text[at] ?? '')
  if (WORD.test(text[start - 1] ?? '')) while (isPunctuation(start)) start += 1
  if (WORD.test(text[end] ?? '')) while (isPunctuation(end - 1)) end -= 1
  return start < end ? { from: start, to: end } : { from, to }
}

/** Widens a range by the marks around it, and lists these and those within it, the outermost first. */
function readLayers(text: string, words: TextRange, line: TextRange, code: readonly CodeRange[]) {
  let { from, to } = words
  // A part of a span of code has no marks of its own.
  for (const span of code) {
    const isOnLine = line.from <= span.from && span.to <= line.to
    if (span.kind !== 'span' || !isOnLine || span.to <= from || to <= span.from) continue
    from = Math.min(from, span.from)
    to = Math.max(to, span.to)
  }
  for (;;) {
    const [before = ''] = /([*_~`])\1*$/.exec(text.slice(line.from, from)) ?? []
    const [after = ''] = /^([*_~`])\1*/.exec(text.slice(to, line.to)) ?? []
    if (before === '' || before[0] !== after[0]) break
    const length = Math.min(before.length, after.length)
    ;[from, to] = [from - length, to + length]
  }
  const layers: MarkLayer[] = []
  for (let [start, end] = [from, to]; ; ) {
    const run = readCommonRun(text.slice(start, end))
    if (run === '') return { from, to, layers }
    layers.push({ from: start, to: end, run })
    ;[start, end] = [start + run.length, end - run.length]
  }
}

/** The mark that begins a text and does not end before its end, if it has one: not that of `**a** **b**`. */
function readCommonRun(words: string): string {
  const [first = ''] = /^([*_~`])\1*/.exec(words) ?? []
  const [last = ''] = /([*_~`])\1*$/.exec(words) ?? []
  const length = Math.min(first.length, last.length)
  if (length === 0 || first[0] !== last[0] || 2 * length >= words.length) return ''
  const run = first.slice(0, length)
  const inner = words.slice(length, -length)
  const others = [...inner.matchAll(/(?<!\\)([*_~`])\1*/g)].filter(([one]) => one[0] === run[0])
  const isEnded = others.some(([{ length: other }]) => other === length || other > 2)
  return /^\s|\s$/.test(inner) && run[0] !== '`' ? '' : isEnded ? '' : run
}
