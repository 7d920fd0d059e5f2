/** A part of a text that is code. */
export interface CodeRange {
  from: number
  to: number
  /** A block (fenced or indented) has lines for itself, a span stands within a text. */
  kind: 'block' | 'span'
}

/** A quote, or the columns by which the content of a list item is indented. */
type Container = 'quote' | number

/** How far a line has been read. A tab is several columns, which may be consumed apart. */
interface LineCursor {
  at: number
  column: number
  end: number
}

interface OpenFence {
  mark: string
  from: number
  depth: number
}

interface TextSegment {
  from: number
  to: number
}

const CODE_INDENT = 4
/** Deeper quotes and lists are read as text, since each line is compared with all that are open. */
const MAX_DEPTH = 100
const QUOTE_MARK = />/y
const LIST_MARK = /(?:[-*+]|(\d{1,9})[.)])(?=[ \t\r\n]|$)/y
const FENCE = /(?:`{3,}(?=[^`\n]*$)|~{3,})/my
const THEMATIC_BREAK = /(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/my
const UNDERLINE = /(?:=+|-+)[ \t]*$/my
const HEADING = /#{1,6}(?=[ \t\r\n]|$)/y
const COMMENT = /<!--/y

/**
 * Finds the code of a text in Markdown (CommonMark 0.31 §4.4, §4.5 and §6.1), in which nothing else has a
 * meaning. It builds no tree and reads each line once, so that a server can call it for every text;
 * markdown-code.test.ts compares it with the parser that renders texts.
 */
export function findCodeRanges(text: string): CodeRange[] {
  const ranges: CodeRange[] = []
  const containers: Container[] = []
  let fence: OpenFence | undefined
  let isComment = false
  /** The item whose first line was empty: with a second one, it ends. */
  let emptyItem: number | undefined
  let paragraph: TextSegment[] = []
  let previousEnd = 0

  const endParagraph = () => {
    ranges.push(...findCodeSpans(text, paragraph))
    paragraph = []
  }
  const addBlock = (from: number, to: number) => {
    const last = ranges.at(-1)
    const isSame = last?.kind === 'block' && text.slice(last.to, from).trim() === ''
    if (last && isSame && !/^[`~]{3}/.test(text.slice(last.from))) last.to = to
    else ranges.push({ from, to, kind: 'block' })
  }
  /** Reads a line behind the containers that go on in it. */
  const readBlocks = (line: LineCursor, matched: number) => {
    let depth = matched
    const isWithin = paragraph.length > 0 && depth === containers.length
    for (;;) {
      const indent = countIndent(text, line)
      const at = line.at + indent.characters
      const isOpen = paragraph.length > 0
      const end = () => {
        endParagraph()
        containers.length = depth
      }
      const open = (container: Container) => {
        end()
        containers.push(container)
        depth += 1
      }
      if (indent.columns >= CODE_INDENT) {
        if (isOpen) return void paragraph.push({ from: at, to: line.end })
        end()
        return addBlock(at, line.end)
      }
      if (depth < MAX_DEPTH && matchAt(QUOTE_MARK, text, at)) {
        open('quote')
        consumeQuote(text, line)
        if (isBlank(text, line)) return
        continue
      }
      const [fenceMark] = matchAt(FENCE, text, at) ?? []
      if (fenceMark !== undefined) {
        end()
        fence = { mark: fenceMark, from: at, depth }
        return
      }
      if (isOpen && depth === containers.length && matchAt(UNDERLINE, text, at))
        return endParagraph()
      if (matchAt(THEMATIC_BREAK, text, at)) return end()
      const [mark, number] = matchAt(LIST_MARK, text, at) ?? []
      if (depth < MAX_DEPTH && mark !== undefined) {
        const item = {
          ...line,
          at: at + mark.length,
          column: line.column + indent.columns + mark.length,
        }
        const isEmpty = isBlank(text, item)
        // Within a paragraph, a list begins with a text, and with 1.
        if (!isWithin || (!isEmpty && (number === undefined || Number(number) === 1))) {
          const { columns } = countIndent(text, item)
          const space = isEmpty || columns > CODE_INDENT ? 1 : columns
          open(indent.columns + mark.length + space)
          if (isEmpty) {
            emptyItem = depth
            return
          }
          Object.assign(line, item)
          consumeColumns(text, line, space)
          continue
        }
      }
      if (matchAt(HEADING, text, at)) {
        end()
        ranges.push(...findCodeSpans(text, [{ from: at, to: line.end }]))
        return
      }
      if (!isOpen) containers.length = depth
      if (!isOpen && matchAt(COMMENT, text, at))
        isComment = !text.slice(at, line.end).includes('-->')
      else paragraph.push({ from: at, to: line.end })
      return
    }
  }

  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    const line: LineCursor = { at: start, column: 0, end }
    const isAfterEmptyItem = emptyItem
    emptyItem = undefined
    let depth = 0
    while (depth < containers.length && consumeContainer(text, line, containers[depth])) depth += 1
    if (fence && depth >= fence.depth) {
      if (closesFence(text, line, fence)) {
        ranges.push({ from: fence.from, to: end, kind: 'block' })
        fence = undefined
      }
    } else {
      if (fence) ranges.push({ from: fence.from, to: previousEnd, kind: 'block' })
      fence = undefined
      if (isComment) isComment = !text.slice(start, end).includes('-->')
      else if (!isBlank(text, line)) readBlocks(line, depth)
      else {
        endParagraph()
        containers.length = Math.min(
          depth,
          isAfterEmptyItem === undefined ? depth : isAfterEmptyItem - 1,
        )
      }
    }
    previousEnd = end
    start = end + 1
  }
  endParagraph()
  if (fence) ranges.push({ from: fence.from, to: text.length, kind: 'block' })
  return ranges
}

/**
 * Whether somebody who writes at a place writes code: in a block, also at the end of its lines, in a span,
 * or after a backtick in the same line that is not closed yet.
 */
export function isInCode(text: string, at: number): boolean {
  if (findCodeRanges(text).some((code) => isWithin(code, at))) return true
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  const marks = new Set(before.slice(lineStart).match(/`+/g))
  return [...marks].some((mark) => {
    const closed = findCodeRanges(`${before} ${mark}`).at(-1)
    return closed !== undefined && closed.from >= lineStart && closed.to > at
  })
}

/** Whether somebody who writes at a place writes a block of code. */
export const isInCodeBlock = (text: string, at: number): boolean =>
  findCodeRanges(text).some((code) => code.kind === 'block' && isWithin(code, at))

const isWithin = ({ from, to, kind }: CodeRange, at: number): boolean =>
  from < at && (at < to || (kind === 'block' && at === to))

/** Changes a text except for its code. */
export function replaceOutsideCode(
  text: string,
  change: (part: string, start: number) => string,
): string {
  let from = 0
  const parts: string[] = []
  for (const code of findCodeRanges(text)) {
    parts.push(change(text.slice(from, code.from), from), text.slice(code.from, code.to))
    from = code.to
  }
  return [...parts, change(text.slice(from), from)].join('')
}

/** Pairs runs of as many backticks in the lines of one paragraph. */
function findCodeSpans(text: string, segments: readonly TextSegment[]): CodeRange[] {
  const runs: { from: number; to: number }[] = []
  const runsByLength = new Map<number, number[]>()
  for (const { from, to } of segments) {
    for (const { index, 0: run } of text.slice(from, to).matchAll(/`+/g)) {
      const inLength = runsByLength.get(run.length) ?? []
      runsByLength.set(run.length, inLength)
      inLength.push(runs.length)
      runs.push({ from: from + index, to: from + index + run.length })
    }
  }
  // What is not longer needed is behind these positions: each run is passed once.
  const positions = new Map<number, number>()
  const findEnd = (length: number, after: number) => {
    const inLength = runsByLength.get(length) ?? []
    let position = positions.get(length) ?? 0
    while ((inLength[position] ?? Number.POSITIVE_INFINITY) <= after) position += 1
    positions.set(length, position)
    return inLength[position]
  }
  const spans: CodeRange[] = []
  for (let at = 0; at < runs.length; at += 1) {
    const run = runs[at]
    if (!run) break
    const from = run.from + (isEscaped(text, run.from) ? 1 : 0)
    const last = from < run.to ? findEnd(run.to - from, at) : undefined
    const end = last === undefined ? undefined : runs[last]
    if (last === undefined || !end) continue
    spans.push({ from, to: end.to, kind: 'span' })
    at = last
  }
  return spans
}

function isEscaped(text: string, at: number): boolean {
  let from = at
  while (text[from - 1] === '\\') from -= 1
  return (at - from) % 2 === 1
}

function consumeContainer(
  text: string,
  line: LineCursor,
  container: Container | undefined,
): boolean {
  const { columns, characters } = countIndent(text, line)
  if (container === 'quote') {
    if (columns >= CODE_INDENT || text[line.at + characters] !== '>') return false
    consumeQuote(text, line)
    return true
  }
  if (container === undefined) return false
  if (isBlank(text, line)) return true
  if (columns < container) return false
  consumeColumns(text, line, container)
  return true
}

/** Consumes the mark of a quote, and the space behind it. */
function consumeQuote(text: string, line: LineCursor): void {
  const { columns, characters } = countIndent(text, line)
  line.at += characters + 1
  line.column += columns + 1
  if (countIndent(text, line).columns > 0) consumeColumns(text, line, 1)
}

function consumeColumns(text: string, line: LineCursor, count: number): void {
  for (let rest = count; rest > 0; ) {
    const width = text[line.at] === '\t' ? CODE_INDENT - (line.column % CODE_INDENT) : 1
    line.column += Math.min(width, rest)
    if (width <= rest) line.at += 1
    rest -= width
  }
}

function countIndent(text: string, { at, column, end }: LineCursor) {
  let [position, to] = [at, column]
  for (; position < end; position += 1) {
    if (text[position] === '\t') to += CODE_INDENT - (to % CODE_INDENT)
    else if (text[position] === ' ') to += 1
    else break
  }
  return { columns: to - column, characters: position - at }
}

function isBlank(text: string, line: LineCursor): boolean {
  const at = line.at + countIndent(text, line).characters
  return at === line.end || text.slice(at, line.end) === '\r'
}

function closesFence(text: string, line: LineCursor, { mark }: OpenFence): boolean {
  const { columns, characters } = countIndent(text, line)
  const rest = text.slice(line.at + characters, line.end).trimEnd()
  return (
    columns < CODE_INDENT &&
    rest.length >= mark.length &&
    /^(?:`+|~+)$/.test(rest) &&
    rest[0] === mark[0]
  )
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
