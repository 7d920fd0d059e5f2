const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/** The marks of inline elements; styles of others may ask for the same. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ...(['strong', 'b'] as const).map((name) => [name, '**'] as const),
  ...(['em', 'i'] as const).map((name) => [name, '*'] as const),
  ...(['s', 'del', 'strike'] as const).map((name) => [name, '~~'] as const),
  ...(['code', 'kbd', 'tt'] as const).map((name) => [name, '`'] as const),
])
/** The values of styles that ask for a mark. */
const STYLE_MARKS: readonly [property: string, value: RegExp, mark: string][] = [
  ['font-weight', /^(?:bold|[6-9]00)/, '**'],
  ['font-style', /^italic/, '*'],
  ['text-decoration', /line-through/, '~~'],
  ['text-decoration-line', /line-through/, '~~'],
]
/** Google Docs wraps all of a text in a `b` that is not bold. */
const NOT_BOLD = /^(?:normal|400)/
const SKIPPED = /^(?:style|script|head|title|xml|template|noscript)$/
/** How deep quotes and lists may be nested; deeper ones stay at that depth. */
const MAX_DEPTH = 10
/** Tags, and texts between them, that are converted at once: a text may have a million. */
const SLICE_SIZE = 1_000

interface InlineElement {
  name: string
  marks: readonly string[]
  isWordMarker: boolean
}

interface HtmlList {
  isOrdered: boolean
  /** The number of its next item. */
  count: number
  /** What the lines of its items begin with, and those of what is nested in the last one. */
  indent: string
  nested: string
}

/** Whether a text has tags or entities. */
export const isHtml = (text: string): boolean => /<[\w/!]|&[\w#]/.test(text)

/**
 * Converts the HTML of rich text editors, office programs and web pages to Markdown: paragraphs,
 * headings, lists with check boxes, tables, quotes, code, links, images and emphasis. Other elements
 * are left out, their text stays. It stops after each slice of work, so that others can do theirs.
 */
export function* convertHtml(html: string): Generator<undefined, string> {
  const writer = createMarkdownWriter()
  const lists: HtmlList[] = []
  const inlines: InlineElement[] = []
  let skipped: string | undefined
  let wordMarker: string | undefined
  let wordLevel = 0
  let count = 0
  for (const part of partsOf(withoutHtmlComments(html))) {
    count += 1
    if (count % SLICE_SIZE === 0) yield
    const [, slash, rawName = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(part) ?? []
    const name = rawName.toLowerCase()
    const isEnd = slash === '/'
    if (skipped !== undefined) {
      if (isEnd && name === skipped) skipped = undefined
      continue
    }
    if (name === '') {
      if (part.startsWith('<!')) continue
      if (wordMarker === undefined) writer.write(decodeEntities(part))
      else wordMarker += decodeEntities(part)
    } else if (SKIPPED.test(name)) {
      if (!isEnd && !part.endsWith('/>')) skipped = name
    } else if (/^h[1-6]$/.test(name)) writer.setHeading(isEnd ? 0 : Number(name[1]))
    else if (name === 'p') {
      const level = Number(/level(\d)/.exec(stylesOf(part).get('mso-list') ?? '')?.[1] ?? 0)
      // The paragraphs of a list of Word, and of an item, stay together.
      const isItem = isEnd ? wordLevel > 0 : level > 0 && wordLevel > 0
      writer.breakLine(lists.length > 0 || isItem ? 1 : 2)
      if (isEnd) continue
      if (level === 0 && wordLevel > 0) writer.breakLine(2)
      wordLevel = level
    } else if (name === 'br') writer.addBreak()
    else if (name === 'hr') writer.writeBlock('---')
    else if (name === 'blockquote') writer.quote(isEnd ? -1 : 1)
    else if (name === 'pre') writer.setCode(!isEnd)
    else if (name === 'ul' || name === 'ol') {
      writer.breakLine(lists.length > (isEnd ? 1 : 0) ? 1 : 2)
      if (isEnd) lists.pop()
      else lists.push(createList(name === 'ol', lists.at(-1), attributeOf(part, 'start')))
      writer.setIndent(lists.at(-1)?.nested ?? '')
    } else if (name === 'li') {
      writer.breakLine(1)
      const list = lists.at(-1)
      if (isEnd || !list) continue
      const sign = list.isOrdered ? `${list.count}. ` : '- '
      list.count += 1
      // Deeper lists stay at that depth.
      if (list.indent.length <= MAX_DEPTH * 2) list.nested = list.indent + ' '.repeat(sign.length)
      writer.setIndent(list.nested)
      const checked = attributeOf(part, 'data-checked')
      const box = checked === undefined ? '' : checked === 'true' ? '[x] ' : '[ ] '
      writer.startItem(`${list.indent}${sign}${box}`)
    } else if (name === 'input') {
      if (attributeOf(part, 'type') === 'checkbox')
        writer.addBox(/\schecked[\s=>/]/i.test(part) ? '[x] ' : '[ ] ')
    } else if (name === 'table') writer.setTable(!isEnd)
    else if (name === 'tr') writer.startRow()
    else if (name === 'td' || name === 'th') writer.setCell(!isEnd)
    else if (name === 'img') writer.writeImage(attributeOf(part, 'src'), attributeOf(part, 'alt'))
    else if (name === 'a') writer.setLink(isEnd ? undefined : attributeOf(part, 'href'))
    else if (name === 'div' || name === 'section' || name === 'article') writer.breakLine(1)
    else if (isEnd) {
      if (inlines.at(-1)?.name !== name) continue
      const closed = inlines.pop()
      writer.mark(closed?.marks ?? [], -1)
      if (!closed?.isWordMarker || wordMarker === undefined) continue
      const indent = '   '.repeat(Math.max(wordLevel - 1, 0))
      writer.startItem(`${indent}${/^\s*\w+[.)]/.test(wordMarker) ? '1.' : '-'} `)
      wordMarker = undefined
    } else if (name === 'span' || name === 'font' || MARKS.has(name)) {
      const styles = stylesOf(part)
      const marks = marksOf(name, styles)
      const isWordMarker = wordMarker === undefined && styles.get('mso-list') === 'ignore'
      if (isWordMarker) wordMarker = ''
      inlines.push({ name, marks, isWordMarker })
      writer.mark(marks, 1)
    }
  }
  return writer.finish()
}

function createList(isOrdered: boolean, parent: HtmlList | undefined, first = '1'): HtmlList {
  const indent = parent?.nested ?? ''
  const count = /^\d{1,8}$/.test(first) ? Number(first) : 1
  return { isOrdered, count, indent, nested: indent }
}

function marksOf(name: string, styles: ReadonlyMap<string, string>): string[] {
  const own = MARKS.get(name)
  const marks = STYLE_MARKS.flatMap(([property, value, mark]) =>
    value.test(styles.get(property) ?? '') ? [mark] : [],
  )
  const isNotBold = own === '**' && NOT_BOLD.test(styles.get('font-weight') ?? '')
  if (own !== undefined && !isNotBold) marks.push(own)
  return marks
}

/**
 * The styles of a tag, in lower case. They are split, as a pattern that looks for a property and its
 * value at once would take quadratic time for a style that repeats the property.
 */
const stylesOf = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    (attributeOf(tag, 'style') ?? '')
      .toLowerCase()
      .split(';')
      .map((one) => one.split(':'))
      .map(([property = '', value = '']) => [property.trim(), value.trim()] as const),
  )

/** Writes Markdown: keeps marks at the words, blocks apart and markup of a text from having a meaning. */
function createMarkdownWriter() {
  let out: string[] = []
  /** Line breaks before the next words. */
  let breaks = 0
  let hasSpace = false
  /** What the next words begin with: the mark of an item or of a heading. */
  let start: string | undefined
  let indent = ''
  let isHeading = false
  let quoteDepth = 0
  let lastQuoteDepth = 0
  /** The open code, which is written once its end is known. */
  let code: string | undefined
  let link: string | undefined
  /** Where the words of the open link, and those of the open code in it, begin in `out`. */
  let linkStart = 0
  let inlineCodeStart = 0
  const openMarks: string[] = []
  const counts = new Map<string, number>()
  let table: { rows: string[][]; outer: string[] | undefined } | undefined
  let tableDepth = 0

  const isAtStart = () => out.length === 0
  const quotes = (depth: number) => '> '.repeat(Math.min(Math.max(depth, 0), MAX_DEPTH))
  function closeMarks(kept: number): void {
    for (const mark of openMarks.splice(kept).reverse()) {
      if (mark === '`') {
        const words = out.splice(inlineCodeStart).join('')
        const fence = fenceOf(words, 1)
        const gap = /^`|`$/.test(words) ? ' ' : ''
        out.push(`${fence}${gap}${words}${gap}${fence}`)
        continue
      }
      if (mark !== 'link') {
        out.push(mark)
        continue
      }
      const words = out.slice(linkStart).join('')
      // An address is a link by itself.
      if (words === link) out.splice(linkStart - 1, Number.POSITIVE_INFINITY, words)
      else out.push(`](${openLink})`)
    }
  }
  let openLink = ''
  function openLine(): void {
    if (breaks > 0 || isAtStart()) {
      closeMarks(0)
      if (!isAtStart()) {
        const blank = quotes(Math.min(quoteDepth, lastQuoteDepth)).trimEnd()
        out.push(breaks > 1 ? `\n${blank}\n` : '\n')
      }
      out.push(quotes(quoteDepth), start ?? indent)
      hasSpace = false
    } else if (start !== undefined) out.push(start)
    start = undefined
    breaks = 0
    lastQuoteDepth = quoteDepth
  }
  function listMarks(): string[] {
    const has = (mark: string) => (counts.get(mark) ?? 0) > 0
    const marks = has('`')
      ? ['`']
      : ['**', '*', '~~'].filter((mark) => has(mark) && !(isHeading && mark === '**'))
    return link === undefined ? marks : ['link', ...marks]
  }
  function openMarksOf(words: string): void {
    const wanted = listMarks()
    let kept = 0
    while (kept < openMarks.length && openMarks[kept] === wanted[kept]) kept += 1
    closeMarks(kept)
    if (hasSpace) out.push(' ')
    hasSpace = false
    for (const mark of wanted.slice(kept)) {
      if (mark === '`') inlineCodeStart = out.length
      else out.push(mark === 'link' ? '[' : mark)
      if (mark === 'link') [openLink, linkStart] = [link ?? '', out.length]
      openMarks.push(mark)
    }
    out.push(words)
  }
  const breakLine = (lines: 1 | 2) => {
    if (code !== undefined) return
    breaks = Math.max(breaks, lines)
  }
  return {
    write(text: string): void {
      if (code !== undefined) {
        code += text
        return
      }
      const words = text.trim().replace(/\s+/g, ' ')
      if (/^\s/.test(text)) hasSpace = true
      if (words === '') return
      const isLineStart = breaks > 0 || isAtStart()
      openLine()
      const isPlain = !((counts.get('`') ?? 0) > 0) && words !== link
      openMarksOf(isPlain ? escapeMarkup(words, isLineStart, link !== undefined) : words)
      hasSpace = /\s$/.test(text)
    },
    writeBlock(block: string): void {
      breakLine(2)
      openLine()
      out.push(block)
      breakLine(2)
    },
    writeImage(src: string | undefined, alt: string | undefined): void {
      // Office programs name files of the computer.
      if (src === undefined || !/^(?:https?:\/\/|\/)/i.test(src)) return
      openLine()
      openMarksOf(`![${(alt ?? '').replace(/[[\]\\]/g, '\\$&')}](${encodeTarget(src)})`)
    },
    breakLine,
    addBreak(): void {
      if (code !== undefined) code += '\n'
      else breaks = Math.min(breaks + 1, 2)
    },
    setHeading(level: number): void {
      breakLine(2)
      isHeading = level > 0
      start = level > 0 ? `${'#'.repeat(level)} ` : undefined
    },
    quote(by: 1 | -1): void {
      breakLine(2)
      quoteDepth += by
    },
    setCode(on: boolean): void {
      if (on) code ??= ''
      if (on || code === undefined) return
      const lines = code
        .replace(/^\r?\n/, '')
        .trimEnd()
        .split(/\r?\n/)
      const fence = fenceOf(code, 3)
      const prefix = `${quotes(quoteDepth)}${indent}`
      code = undefined
      if (isHeading) start = undefined
      // Code cannot begin beside a check box.
      else if (start?.endsWith('] ')) openLine()
      this.writeBlock([fence, ...lines, fence].join(`\n${prefix}`))
    },
    setIndent(value: string): void {
      indent = value
      start = undefined
    },
    startItem(mark: string): void {
      start = mark
    },
    addBox(box: string): void {
      if (start !== undefined) start += box
    },
    setLink(href: string | undefined): void {
      // The next words may be of another link.
      if (openMarks[0] === 'link') closeMarks(0)
      const isKept = href !== undefined && /^(?:https?:\/\/|mailto:|\/)/i.test(href)
      link = isKept ? encodeTarget(href) : undefined
    },
    mark(marks: readonly string[], by: 1 | -1): void {
      for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + by)
    },
    /** Of tables in tables, only the outer one is a table. */
    setTable(on: boolean): void {
      tableDepth = Math.max(tableDepth + (on ? 1 : -1), 0)
      if (on && tableDepth === 1) {
        breakLine(2)
        table = { rows: [], outer: undefined }
      } else if (!on && tableDepth === 0 && table) {
        this.setCell(false)
        const { rows } = table
        table = undefined
        const lines = formatTable(rows)
        if (lines !== '') this.writeBlock(lines)
      }
    },
    startRow(): void {
      if (!table || tableDepth > 1) return
      this.setCell(false)
      if (table.rows.at(-1)?.length !== 0) table.rows.push([])
    },
    setCell(on: boolean): void {
      if (!table || tableDepth > 1) return
      if (table.outer) {
        this.setCode(false)
        closeMarks(0)
        const cell = out.join('').replace(/\s+/g, (gap) => (gap.includes('\n') ? ' ' : gap))
        table.rows.at(-1)?.push(cell.replaceAll('|', '\\|').trim())
        out = table.outer
        table.outer = undefined
        breaks = 2
      }
      if (!on) return
      if (table.rows.length === 0) table.rows.push([])
      closeMarks(0)
      table.outer = out
      out = []
      breaks = 0
      hasSpace = false
    },
    finish(): string {
      this.setCode(false)
      if (tableDepth > 0) {
        tableDepth = 1
        this.setTable(false)
      }
      closeMarks(0)
      return out.join('').trim()
    },
  }
}

/** Backticks that a code may be put between: more than it has one after the other. */
const fenceOf = (code: string, least: number): string =>
  '`'.repeat(
    (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length + 1), least),
  )

/** The rows of a table; what has one column only is no table. */
function formatTable(rows: readonly string[][]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''))
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0)
  if (columns < 2) return filled.flat().join('\n\n')
  const [head = [], ...body] = filled
  // The first row says how many columns there are.
  const wide = Array.from({ length: columns }, (_, at) => head[at] ?? '')
  const format = (row: readonly string[]) => `| ${row.join(' | ')} |`
  return [wide, wide.map(() => '---'), ...body].map(format).join('\n')
}

const MARKUP = /`|\*(?=\S)|(?<=\S)\*|(?<![\p{L}\p{N}])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}])|\](?=[([])/gu
const ADDRESS_OR_MARKUP = new RegExp(`\\bhttps?://[^\\s\`*[\\]<>]+|${MARKUP.source}`, 'gu')

/** Escapes what would be markup in a text, but no more than that. An address is none, except in a link. */
function escapeMarkup(text: string, isLineStart: boolean, isLinked: boolean): string {
  const escaped = text.replace(isLinked ? MARKUP : ADDRESS_OR_MARKUP, (found) =>
    found.length > 1 ? found : `\\${found}`,
  )
  return isLineStart ? escaped.replace(/^#{1,6}(?=\s|$)/, '\\$&') : escaped
}

/** An address in parentheses ends at a space or at a parenthesis of its own. */
const encodeTarget = (url: string): string =>
  url.trim().replace(/[\s()<>]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** The tags of a text and what is between them, also a `<` that nothing closes. */
function* partsOf(html: string): Generator<string> {
  let end = 0
  for (const { 0: tag, index } of html.matchAll(/<[^<>]*>/g)) {
    if (index > end) yield html.slice(end, index)
    yield tag
    end = index + tag.length
  }
  yield html.slice(end)
}

const attributeOf = (tag: string, name: string): string | undefined => {
  const pattern = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
  const [, double, single, bare] = pattern.exec(tag) ?? []
  const value = double ?? single ?? bare
  return value === undefined ? undefined : decodeEntities(value)
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name).toLowerCase()) ?? all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

/**
 * The text without its HTML comments, such as those that templates of GitHub ask people with. A
 * comment without an end is text. One pass: a pattern would take quadratic time for many openings.
 */
export function withoutHtmlComments(text: string): string {
  let rest = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('<!--', from)
    const end = start < 0 ? -1 : text.indexOf('-->', start + 2)
    if (end < 0) return rest + text.slice(from)
    rest += text.slice(from, start)
    from = end + 3
  }
}
