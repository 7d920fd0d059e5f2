import { withoutHtmlComments } from '#lib/html-comments.ts'
import { giveWay } from '#lib/turns.ts'

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/** The marks of inline elements. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ...(['strong', 'b'] as const).map((name) => [name, '**'] as const),
  ...(['em', 'i'] as const).map((name) => [name, '*'] as const),
  ...(['s', 'del', 'strike'] as const).map((name) => [name, '~~'] as const),
  ['code', '`'] as const,
])
const BLOCKS: ReadonlySet<string> = new Set(['p', 'div', 'pre', 'blockquote', 'ul', 'ol', 'table'])

/** Parts of a text, or lines, that are converted at once: a description may have a million tags. */
const SLICE_SIZE = 1_000

/**
 * Converts the HTML of rich text editors to Markdown: paragraphs, headings, lists with check boxes,
 * links, images and emphasis. Other elements are left out, their text stays. A text without HTML is
 * returned as it is.
 */
export async function htmlToMarkdown(html: string | null): Promise<string | null> {
  if (html === null || !/<[\w/!]|&[\w#]/.test(html)) return html
  const out: string[] = []
  const links: string[] = []
  const lists: { isOrdered: boolean; count: number }[] = []
  let quoteDepth = 0
  let isCode = false
  const breakLine = (lines: 1 | 2) =>
    out.push(`${lines === 1 ? '\n' : '\n\n'}${'> '.repeat(Math.max(quoteDepth, 0))}`)
  let count = 0
  for (const part of partsOf(withoutHtmlComments(html))) {
    count += 1
    if (count % SLICE_SIZE === 0) await giveWay()
    const [, slash, rawName = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(part) ?? []
    const name = rawName.toLowerCase()
    if (name === '') {
      if (!part.startsWith('<!'))
        out.push(decodeEntities(isCode ? part : part.replace(/\s+/g, ' ')))
      continue
    }
    const isEnd = slash === '/'
    const mark = isCode ? undefined : MARKS.get(name)
    if (name === 'br') breakLine(1)
    else if (name === 'hr') out.push('\n\n---\n\n')
    else if (/^h[1-6]$/.test(name)) out.push(isEnd ? '\n\n' : `\n\n${'#'.repeat(Number(name[1]))} `)
    else if (name === 'a') {
      if (!isEnd) {
        links.push(attributeOf(part, 'href') ?? '')
        out.push('[')
      } else out.push(`](${links.pop() ?? ''})`)
    } else if (name === 'img')
      out.push(`![${attributeOf(part, 'alt') ?? ''}](${attributeOf(part, 'src') ?? ''})`)
    else if (name === 'li') {
      if (isEnd) continue
      const list = lists.at(-1)
      if (list) list.count += 1
      const checked = attributeOf(part, 'data-checked')
      const sign = list?.isOrdered ? `${list.count}.` : '-'
      const box = checked === undefined ? '' : checked === 'true' ? ' [x]' : ' [ ]'
      out.push(`\n${'  '.repeat(Math.max(lists.length - 1, 0))}${sign}${box} `)
    } else if (mark !== undefined) out.push(mark)
    else if (name === 'tr') breakLine(1)
    else if (name === 'td' || name === 'th') out.push(isEnd ? ' | ' : '')
    else if (BLOCKS.has(name)) {
      if (name === 'pre') {
        isCode = !isEnd
        out.push(isEnd ? '\n```\n\n' : '\n\n```\n')
        continue
      }
      if (name === 'blockquote') quoteDepth += isEnd ? -1 : 1
      // A paragraph within an item of a list stays on its line, and so does a list within it.
      const isNested = lists.length > (isEnd ? 1 : 0)
      if (name === 'ul' || name === 'ol') {
        if (isEnd) lists.pop()
        else lists.push({ isOrdered: name === 'ol', count: 0 })
      } else if (name === 'p' && lists.length > 0) continue
      if (!isNested) breakLine(2)
    }
  }
  const lines = out.join('').split('\n')
  for (const [at, line] of lines.entries()) {
    const kept = line.trimEnd()
    lines[at] = /^[> ]+$/.test(kept) ? '' : kept
    if (at % SLICE_SIZE === 0) await giveWay()
  }
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return text === '' ? null : text.toWellFormed()
}

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
  const [, double, single] = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag) ?? []
  const value = double ?? single
  return value === undefined ? undefined : decodeEntities(value)
}

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,8}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name).toLowerCase()) ?? all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
