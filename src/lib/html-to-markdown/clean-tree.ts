import type { Element, ElementContent, Nodes } from 'hast'
import { isLineNumbers, readHighlightLanguage, toCode } from './code-blocks.ts'
import { createFlow, type Flow, h, type Mark } from './flow.ts'
import { toFormula, toSuperscript } from './formulas.ts'
import { readItemRun, readListMark, toNestedLists } from './list-levels.ts'
import { hasClass, plainTextOf, stylesOf } from './properties.ts'

const SKIPPED =
  /^(?:script|style|head|title|xml|template|noscript|svg|select|datalist|rp|col|colgroup|link|meta)$/
/** Elements of text; all others are blocks, or end a line at least. */
const INLINE =
  /^(?:a|abbr|acronym|b|bdi|bdo|big|button|cite|code|data|del|dfn|em|font|g-emoji|i|ins|kbd|label|map|mark|nobr|object|output|picture|q|rb|rt|ruby|s|samp|slot|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)$/
const MARK_NAMES: ReadonlyMap<string, Mark> = new Map([
  ...(['strong', 'b'] as const).map((name) => [name, 'strong'] as const),
  ...(['em', 'i', 'cite', 'dfn', 'var'] as const).map((name) => [name, 'em'] as const),
  ...(['s', 'del', 'strike'] as const).map((name) => [name, 'del'] as const),
  ...(['code', 'kbd', 'tt', 'samp'] as const).map((name) => [name, 'code'] as const),
])
/** How deep quotes and lists may be nested; deeper ones stay at that depth. */
const MAX_CONTAINERS = 10
/** The cells that merged ones may add to a table. */
const MAX_ADDED_CELLS = 10_000
/** What Docket itself puts into its pages for this (docs/decisions/0072-editor.md). */
const REFERENCE = /^(?:<@usr_[0-9a-hjkmnp-tv-z]{26}>|[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})$/

interface Surroundings {
  marks: ReadonlySet<Mark>
  link: string | undefined
  /** Whether line ends in a text are shown, as in `white-space: pre-wrap`. */
  keepsLines: boolean
  isHeading: boolean
  isCell: boolean
  /** The language of code in it. */
  language: string | undefined
  /** How many lists and quotes are around it. */
  depth: number
}

/**
 * Brings the tree of a page into a form of which the converter to Markdown makes the same text: words in
 * paragraphs, marks close around words, lists of items, tables of rows with cells of one line. It knows what
 * office programs and other tools write where HTML has elements of its own.
 */
export function cleanTree(tree: Nodes): ElementContent[] {
  const flow = createFlow()
  if ('children' in tree)
    walk(tree.children, flow, {
      marks: new Set(),
      link: undefined,
      keepsLines: false,
      isHeading: false,
      isCell: false,
      language: undefined,
      depth: 0,
    })
  return flow.finish()
}

function walk(nodes: readonly Nodes[], flow: Flow, around: Surroundings): void {
  for (const node of around.isCell ? nodes : groupStrays(nodes)) {
    if (node.type === 'text') flow.addText(node.value, around)
    else if (node.type === 'element') walkElement(node, flow, around)
  }
}

/** Puts items without a list, rows without a table, and the levels of a list beside each other into what they need. */
function groupStrays(nodes: readonly Nodes[]): Nodes[] {
  const grouped: Nodes[] = []
  let run: { name: string; elements: Element[] } | undefined
  const close = () => {
    if (run?.name === 'levels') grouped.push(toNestedLists(run.elements))
    else if (run?.name === 'tr') grouped.push(h('table', [h('tr', run.elements)]))
    else if (run) grouped.push(h(run.name, run.elements))
    run = undefined
  }
  for (const node of nodes) {
    const name = node.type === 'element' ? groupOf(node) : undefined
    const isBlank = node.type === 'comment' || (node.type === 'text' && node.value.trim() === '')
    if (isBlank && run) continue
    if (run && run.name !== name) close()
    if (node.type === 'element' && name !== undefined) {
      run ??= { name, elements: [] }
      run.elements.push(node)
    } else grouped.push(node)
  }
  close()
  return grouped
}

/** Jira, Confluence and OneNote mark the tasks of a list without a list. */
const isItem = ({ tagName, properties: { dataTaskState, dataTag } }: Element): boolean =>
  tagName === 'li' || dataTaskState !== undefined || /^to-do/.test(String(dataTag ?? ''))

function groupOf(element: Element): string | undefined {
  const { tagName } = element
  if (isItem(element)) return 'ul'
  if (/^(?:tr|tbody|thead|tfoot)$/.test(tagName)) return 'table'
  if (tagName === 'td' || tagName === 'th') return 'tr'
  return readListMark(element) || readItemRun(element) ? 'levels' : undefined
}

function walkElement(element: Element, flow: Flow, around: Surroundings): void {
  const { tagName, children, properties } = element
  const styles = stylesOf(element)
  if (SKIPPED.test(tagName) || isHidden(element, styles)) return
  const inner = { ...around, ...marksOf(element, styles, around) }
  const reference = String(properties.dataReference ?? '')
  const height = tagName === 'span' ? styles.get('vertical-align') : tagName
  const raised = /^sup/.test(height ?? '') ? 'sup' : /^sub/.test(height ?? '') ? 'sub' : undefined
  // With words in it, or the spaces around it would be one after the other.
  if (REFERENCE.test(reference))
    flow.addNode(h('span', [{ type: 'text', value: reference }], { value: reference }), around)
  else if (tagName === 'br') flow.breakLine()
  else if (tagName === 'img' || tagName === 'image') addImage(element, flow, around)
  else if (/^(?:iframe|video|audio|embed)$/.test(tagName)) addMedia(element, flow, around)
  // Slack.
  else if (properties.dataStringifyType === 'paragraph-break') flow.endParagraph()
  else if (tagName === 'math') flow.addText(toFormula(element), inner)
  else if (isBox(element)) {
    flow.addText(isChecked(element) ? '☑ ' : '☐ ', around)
    walk(children, flow, inner)
  } else if (raised) {
    const short = toSuperscript(plainTextOf(element), raised)
    if (short === undefined) walk(children, flow, inner)
    else flow.addText(short, inner)
  } else if (tagName === 'rt') {
    flow.addText('(', around)
    walk(children, flow, around)
    flow.addText(')', around)
  } else if (tagName === 'q') {
    flow.addText('“', around)
    walk(children, flow, inner)
    flow.addText('”', around)
  } else if (tagName === 'input') {
    if (/^(?:text|email|url|number)$/.test(String(properties.type ?? 'text')))
      flow.addText(String(properties.value ?? ''), around)
  } else if (isCodeBlock(element)) addCode(element, flow, around)
  else if (INLINE.test(tagName) && !/^(?:block|flex|grid|table)/.test(styles.get('display') ?? ''))
    walk(children, flow, inner)
  else walkBlock(element, flow, inner)
}

function walkBlock(element: Element, flow: Flow, around: Surroundings): void {
  const { tagName, children } = element
  const level = headingLevelOf(element)
  if (around.isCell) walkInCell(element, flow, around)
  else if (level !== undefined) addHeading(element, level, flow, around)
  else if (tagName === 'p') {
    flow.endParagraph()
    walk(children, flow, around)
    flow.endParagraph()
  } else if (tagName === 'hr') flow.addBlock(h('hr', []))
  else if (/^(?:ul|ol|menu|dir)$/.test(tagName)) addList(element, flow, around)
  else if (tagName === 'dl') addList(toDefinitionList(element), flow, around)
  else if (tagName === 'blockquote') {
    const quoted = flowOf(children, { ...around, depth: around.depth + 1 })
    if (around.depth >= MAX_CONTAINERS) flow.addBlock(...quoted)
    else if (quoted.length > 0) flow.addBlock(h('blockquote', quoted))
  } else if (tagName === 'table') addTable(element, flow, around)
  else {
    flow.endLine()
    walk(children, flow, { ...around, language: readHighlightLanguage(element) ?? around.language })
    flow.endLine()
  }
}

function flowOf(nodes: readonly Nodes[], around: Surroundings): ElementContent[] {
  const flow = createFlow()
  walk(nodes, flow, around)
  return flow.finish()
}

/** A cell of a table is one line: its blocks follow each other, with the marks of items. */
function walkInCell(element: Element, flow: Flow, around: Surroundings): void {
  flow.endLine()
  let count = Number(element.properties.start ?? 1)
  for (const child of element.children) {
    if (child.type === 'element' && child.tagName === 'li') {
      flow.endLine()
      flow.addText(element.tagName === 'ol' ? `${count}. ` : '• ', around)
      count += 1
      walk(child.children, flow, around)
      flow.endLine()
    } else walk([child], flow, around)
  }
  flow.endLine()
}

function headingLevelOf({ tagName, properties }: Element): number | undefined {
  const [, digit] = /^h([1-6])$/.exec(tagName) ?? []
  const level = properties.role === 'heading' ? properties.ariaLevel : digit
  // Those of Docket's own texts are lower on its pages.
  const given = Number(properties.dataLevel ?? level ?? 0)
  return given >= 1 ? Math.min(Math.trunc(given), 6) : undefined
}

function addHeading(element: Element, level: number, flow: Flow, around: Surroundings): void {
  const blocks = flowOf(element.children, { ...around, isHeading: true })
  if (blocks.length === 0) return
  const isText = blocks.every((one) => one.type === 'element' && one.tagName === 'p')
  if (isText) flow.addBlock(h(`h${level}`, toLine(blocks)))
  else flow.addBlock(...blocks)
}

const withoutBreaks = (nodes: readonly ElementContent[]): ElementContent[] =>
  nodes.map((node) => {
    if (node.type !== 'element') return node
    if (node.tagName === 'br') return { type: 'text', value: ' ' }
    return { ...node, children: withoutBreaks(node.children) }
  })

function addList(element: Element, flow: Flow, around: Surroundings): void {
  const isOrdered = element.tagName === 'ol'
  let start = startOf(element.properties.start) ?? 1
  let items: Element[] = []
  let next = start
  const close = () => {
    if (items.length > 0)
      flow.addBlock(h(isOrdered ? 'ol' : 'ul', items, isOrdered ? { start } : {}))
    items = []
  }
  for (const item of toItems(element)) {
    const value = startOf(item.properties.value)
    // A number that does not follow the one before it begins another list.
    if (isOrdered && value !== undefined && value !== next) {
      close()
      start = value
      next = value
    }
    const content = toItemContent(item, { ...around, depth: around.depth + 1 })
    // Deeper lists stay at that depth.
    if (around.depth >= MAX_CONTAINERS) flow.addBlock(...content)
    else items.push(h('li', content))
    next += 1
  }
  close()
}

const startOf = (value: unknown): number | undefined => {
  const number = Number(value)
  return /^\d{1,8}$/.test(String(value ?? '')) ? number : undefined
}

/** The items of a list. A list directly in it, as Google Docs writes it, belongs to the item before it. */
function toItems(list: Element): Element[] {
  const items: Element[] = []
  for (const child of list.children) {
    const last = items.at(-1)
    if (child.type === 'element' && isItem(child)) items.push(child)
    else if (child.type === 'element' && /^(?:ul|ol)$/.test(child.tagName)) {
      // A list that begins on a deeper level has nothing to be below of.
      if (last) items[items.length - 1] = { ...last, children: [...last.children, child] }
      else items.push(...toItems(child))
    } else if (child.type === 'element' || (child.type === 'text' && child.value.trim() !== ''))
      items.push(h('li', [child]))
  }
  return items
}

function toItemContent(item: Element, around: Surroundings): ElementContent[] {
  const checked = taskStateOf(item)
  const [first, ...more] = flowOf(withoutBoxes(item.children, checked), {
    ...around,
    ...marksOf(item, stylesOf(item), around),
  })
  const words = first?.type === 'element' && first.tagName === 'p' ? first.children : undefined
  const box = /^\[([ xX✓]?)\]\s+/.exec(plainTextOf(h('p', words ?? [])))
  const state = checked ?? (box ? (box[1] ?? '').trim() !== '' : undefined)
  const isTight = more.every((one) => one.type === 'element' && /^(?:ul|ol)$/.test(one.tagName))
  const boxes =
    state === undefined
      ? []
      : [h('input', [], { type: 'checkbox', ...(state && { checked: true }) })]
  if (!words) {
    // A box needs words beside it.
    const content = first ? [first, ...more] : more
    return state === undefined
      ? content
      : [...boxes, h('p', [{ type: 'text', value: '\u00a0' }]), ...content]
  }
  const own = checked === undefined && box ? withoutStart(words, box[0].length) : words
  return isTight ? [...boxes, ...own, ...more] : [h('p', [...boxes, ...own]), ...more]
}

/** The words without their first characters. */
function withoutStart(nodes: readonly ElementContent[], length: number): ElementContent[] {
  let left = length
  const cut = (node: ElementContent): ElementContent => {
    if (node.type === 'text') {
      const value = node.value.slice(left)
      left -= node.value.length - value.length
      return { ...node, value }
    }
    return node.type === 'element' ? { ...node, children: node.children.map(cut) } : node
  }
  return nodes.map(cut)
}

/** Whether the box of an item is checked; undefined if it has none. */
function taskStateOf(item: Element): boolean | undefined {
  const { role, dataChecked, dataTaskState } = item.properties
  if (role === 'checkbox') return isChecked(item)
  if (dataChecked !== undefined) return dataChecked === '' || String(dataChecked) === 'true'
  if (dataTaskState !== undefined) return dataTaskState === 'DONE'
  // Those of editors made with Quill, and of Evernote.
  const { dataList } = item.properties
  if (/^(?:un)?checked$/.test(String(dataList))) return dataList === 'checked'
  const evernote = stylesOf(item).get('--en-checked')
  if (evernote !== undefined) return evernote === 'true'
  const tag = String(item.properties.dataTag ?? '')
  if (tag.startsWith('to-do')) return tag.includes('completed')
  const box = findBox(item)
  return box && isChecked(box)
}

function isChecked(box: Element): boolean {
  const { role, ariaChecked, checked = false } = box.properties
  if (role === 'checkbox') return String(ariaChecked) === 'true'
  return hasClass(box, 'checkbox-on') || String(checked) !== 'false'
}

const isBox = (element: Element): boolean =>
  (element.tagName === 'input' && element.properties.type === 'checkbox') ||
  element.tagName === 'en-todo' ||
  element.properties.role === 'checkbox' ||
  element.properties.ariaRoledescription === 'checkbox' ||
  hasClass(element, 'checkbox-on') ||
  hasClass(element, 'checkbox-off')

/** The box of an item, which is not one of an item of a list in it. */
function findBox({ children }: Element): Element | undefined {
  for (const child of children) {
    if (child.type !== 'element' || /^(?:ul|ol)$/.test(child.tagName)) continue
    const box = isBox(child) ? child : findBox(child)
    if (box) return box
  }
  return undefined
}

/** The content of an item without the boxes in front of it, and without pictures of them. */
const withoutBoxes = (
  nodes: readonly ElementContent[],
  checked: boolean | undefined,
): ElementContent[] =>
  checked === undefined
    ? [...nodes]
    : nodes.flatMap((node) => {
        if (node.type !== 'element' || /^(?:ul|ol)$/.test(node.tagName)) return [node]
        if (isBox(node) && plainTextOf(node).trim() === '') return []
        return [{ ...node, children: withoutBoxes(node.children, checked) }]
      })

/** Terms with what they mean, as the items of a list. */
function toDefinitionList(list: Element): Element {
  const items: Element[] = []
  let hasMeaning = true
  const add = (nodes: readonly ElementContent[]): void => {
    for (const node of nodes) {
      if (node.type !== 'element') continue
      if (node.tagName === 'div') add(node.children)
      else if (node.tagName === 'dt' || node.tagName === 'dd') {
        if (node.tagName === 'dt' && hasMeaning) items.push(h('li', []))
        if (items.length === 0) items.push(h('li', []))
        items.at(-1)?.children.push(h('div', node.children, node.properties))
        hasMeaning = node.tagName === 'dd'
      }
    }
  }
  add(list.children)
  return h('ul', items)
}

function addTable(table: Element, flow: Flow, around: Surroundings): void {
  const rows = rowsOf(table)
  const cells = rows.map((row) => row.children.filter(isCellElement))
  const columns = cells.reduce((most, row) => Math.max(most, row.length), 0)
  const caption = table.children.find((one) => one.type === 'element' && one.tagName === 'caption')
  if (caption) walkBlock(h('p', caption.type === 'element' ? caption.children : []), flow, around)
  if (cells.flat().some(isLineNumbers)) {
    addCode(table, flow, around)
    return
  }
  if (columns < 2 || isLayout(table, cells.flat())) {
    for (const cell of cells.flat()) {
      flow.endParagraph()
      walk(cell.children, flow, { ...around, ...marksOf(cell, stylesOf(cell), around) })
    }
    flow.endParagraph()
    return
  }
  const hasHead = cells
    .slice(0, 2)
    .flat()
    .some(({ tagName }) => tagName === 'th')
  let added = 0
  const spanOf = (value: unknown, max: number) =>
    Math.min(Math.max(Number(value ?? 1) || max, 1), max)
  const toCell = (cell: Element, isHead: boolean, rowsBelow: number): Element => {
    let colSpan = spanOf(cell.properties.colSpan, 100)
    let rowSpan = spanOf(cell.properties.rowSpan, rowsBelow)
    added += colSpan * rowSpan - 1
    if (added > MAX_ADDED_CELLS) [colSpan, rowSpan] = [1, 1]
    const styles = stylesOf(cell)
    const align = styles.get('text-align') ?? cell.properties.align
    const inCell = { ...around, isCell: true, isHeading: isHead }
    const inner = { ...inCell, ...marksOf(cell, styles, inCell) }
    return h(isHead ? 'th' : 'td', toLine(flowOf(cell.children, inner)), {
      ...(colSpan > 1 && { colSpan }),
      ...(rowSpan > 1 && { rowSpan }),
      ...(/^(?:left|right|center)$/.test(String(align)) && { align: String(align) }),
    })
  }
  const converted = cells.map((row, at) => {
    const isHead = at === 0 && (!hasHead || row.some(({ tagName }) => tagName === 'th'))
    return h(
      'tr',
      row.map((cell) => toCell(cell, isHead, rows.length - at)),
    )
  })
  const isFilled = ({ children }: Element) =>
    children.some(
      (cell) =>
        cell.type === 'element' && (cell.children.length > 0 || 'rowSpan' in cell.properties),
    )
  const filled = converted.filter(isFilled)
  if (filled.length > 0) flow.addBlock(h('table', filled))
}

/** The words of paragraphs on one line. */
const toLine = (paragraphs: readonly ElementContent[]): ElementContent[] =>
  paragraphs.flatMap((one, at) => [
    ...(at > 0 ? [{ type: 'text', value: ' ' } as const] : []),
    ...(one.type === 'element' ? withoutBreaks(one.children) : []),
  ])

const isCellElement = (node: ElementContent): node is Element =>
  node.type === 'element' && (node.tagName === 'td' || node.tagName === 'th')

const rowsOf = (table: Element): Element[] =>
  table.children.flatMap((child) => {
    if (child.type !== 'element') return []
    if (child.tagName === 'tr') return [child]
    return /^(?:tbody|thead|tfoot)$/.test(child.tagName) ? rowsOf(child) : []
  })

/** Whether a table only places what is in it, as in mails. */
const isLayout = (table: Element, cells: readonly Element[]): boolean =>
  /^(?:presentation|none)$/.test(String(table.properties.role ?? '')) ||
  (cells.every(({ tagName }) => tagName === 'td') && cells.some((cell) => has(cell, 'table')))

const has = ({ children }: Element, tagName: string): boolean =>
  children.some((one) => one.type === 'element' && (one.tagName === tagName || has(one, tagName)))

/** Code of several lines may stand in an element for code within a line. */
const isCodeBlock = (element: Element): boolean =>
  /^(?:pre|listing|xmp|plaintext)$/.test(element.tagName) ||
  stylesOf(element).get('--en-codeblock') === 'true' ||
  (element.tagName === 'code' && ['br', 'div', 'p', 'li'].some((name) => has(element, name)))

function addCode(element: Element, flow: Flow, around: Surroundings): void {
  const { value, language = around.language } = toCode(element)
  if (value.trim() === '') return
  if (around.isCell) {
    flow.addText(value, { ...around, marks: new Set<Mark>(['code']) })
    flow.endLine()
    return
  }
  const className = language === undefined ? [] : [`language-${language}`]
  flow.addBlock(h('pre', [h('code', [{ type: 'text', value }], { className })]))
}

function addImage({ properties }: Element, flow: Flow, around: Surroundings): void {
  const [src, alt] = [String(properties.src ?? ''), String(properties.alt ?? '')]
  if (/\p{Extended_Pictographic}|^:[\w+-]+:$/u.test(alt)) flow.addText(alt, around)
  // Office programs name files of the computer.
  else if (/^(?:https?:\/\/|\/)/i.test(src)) flow.addNode(h('img', [], { src, alt }), around)
}

function addMedia({ properties }: Element, flow: Flow, around: Surroundings): void {
  const src = String(properties.src ?? '')
  if (/^https?:\/\//i.test(src)) flow.addText(src, { ...around, link: src })
}

const isHidden = ({ properties }: Element, styles: ReadonlyMap<string, string>): boolean =>
  properties.hidden === true ||
  styles.get('display') === 'none' ||
  styles.get('mso-hide') === 'all' ||
  hasClass({ properties }, 'katex-html')

/** The marks, the link and the line ends of what is in an element. */
function marksOf(
  element: Element,
  styles: ReadonlyMap<string, string>,
  around: Surroundings,
): Pick<Surroundings, 'marks' | 'link' | 'keepsLines'> {
  const marks = new Set(around.marks)
  const own = MARK_NAMES.get(element.tagName)
  if (own) marks.add(own)
  const toggle = (mark: Mark, isOn: boolean | undefined) => {
    if (isOn === true) marks.add(mark)
    else if (isOn === false) marks.delete(mark)
  }
  const weight = styles.get('font-weight') ?? ''
  // Google Docs wraps all of a text in a `b` that is not bold.
  if (weight !== '') toggle('strong', /^bold|^[6-9]\d\d/.test(weight))
  const slant = styles.get('font-style') ?? ''
  if (slant !== '') toggle('em', /^(?:italic|oblique)/.test(slant))
  const decoration = `${styles.get('text-decoration') ?? ''} ${styles.get('text-decoration-line') ?? ''}`
  if (decoration.includes('line-through')) marks.add('del')
  // A heading is bold by itself.
  if (around.isHeading) marks.delete('strong')
  const space = styles.get('white-space')
  const keepsLines = space === undefined ? around.keepsLines : /^(?:pre|break)/.test(space)
  if (element.tagName !== 'a') return { marks, link: around.link, keepsLines }
  const href = String(element.properties.href ?? '').trim()
  const isFollowed = /^(?:https?:\/\/|mailto:|\/)/i.test(href)
  return { marks, link: isFollowed ? href : undefined, keepsLines }
}
