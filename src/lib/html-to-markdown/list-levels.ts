import type { Element, ElementContent } from 'hast'
import { h } from './flow.ts'
import { plainTextOf, stylesOf } from './properties.ts'

interface ListMark {
  level: number
  /** The number of an item of an ordered list. */
  number: number | undefined
}

/** The mark of a paragraph that Word shows as the item of a list; it writes no list. */
export function readListMark(element: Element): ListMark | undefined {
  if (element.tagName !== 'p' && element.tagName !== 'div') return undefined
  const [, digits] = /level(\d)/.exec(stylesOf(element).get('mso-list') ?? '') ?? []
  if (digits === undefined) return undefined
  const mark = plainTextOf(findMark(element) ?? h('span', [])).trim()
  const [, given, letters] = /^(?:(\d{1,8})|([a-z]{1,5}))[.)]/i.exec(mark) ?? []
  const number = given === undefined ? (letters === undefined ? undefined : 1) : Number(given)
  return { level: Number(digits), number }
}

const isMark = (element: Element): boolean => stylesOf(element).get('mso-list') === 'ignore'

function findMark({ children }: Element): Element | undefined {
  for (const child of children) {
    if (child.type !== 'element') continue
    const mark = isMark(child) ? child : findMark(child)
    if (mark) return mark
  }
  return undefined
}

const withoutMark = (nodes: readonly ElementContent[]): ElementContent[] =>
  nodes
    .filter((node) => node.type !== 'element' || !isMark(node))
    .map((node) =>
      node.type === 'element' ? { ...node, children: withoutMark(node.children) } : node,
    )

/** Items of one level that follow each other. */
interface ItemRun {
  level: number
  name: string
  start: number | undefined
  items: ElementContent[]
}

function toItemRun(paragraph: Element): ItemRun {
  const { level, number } = readListMark(paragraph) ?? { level: 1, number: undefined }
  const { style, ...properties } = paragraph.properties
  const content = h('div', withoutMark(paragraph.children), properties)
  const name = number === undefined ? 'ul' : 'ol'
  return { level, name, start: number, items: [h('li', [content])] }
}

/** The items of a list that names their level. Slack and Word Online write a list of its own for each level. */
export function readItemRun(element: Element): ItemRun | undefined {
  const { tagName, properties, children } = element
  const elements = children.filter((child) => child.type === 'element')
  const [first] = elements
  if (tagName === 'div' && elements.length === 1 && first && !readListMark(element))
    return readItemRun(first)
  if (tagName !== 'ul' && tagName !== 'ol') return undefined
  const { ariaLevel, dataAriaLevel = ariaLevel } = first?.properties ?? {}
  const indent =
    properties.dataIndent === undefined ? Number.NaN : Number(properties.dataIndent) + 1
  const level = dataAriaLevel === undefined ? indent : Number(dataAriaLevel)
  const start = properties.start === undefined ? undefined : Number(properties.start)
  if (!(level >= 1)) return undefined
  return { level, name: tagName, start, items: children.map(withoutLevel) }
}

const withoutLevel = (item: ElementContent): ElementContent => {
  if (item.type !== 'element') return item
  const { ariaLevel, dataAriaLevel, ...properties } = item.properties
  return { ...item, properties }
}

/** The lists that paragraphs of Word, or lists of one level each, show if they follow each other. */
export function toNestedLists(elements: readonly Element[]): Element {
  const root = h('div', [])
  const open: { level: number; list: Element }[] = []
  for (const element of elements) {
    const { level, name, start, items } = readItemRun(element) ?? toItemRun(element)
    while (open.length > 1 && (open.at(-1)?.level ?? 0) > level) open.pop()
    // A list that began on a deeper level goes on.
    if (open[0] && open[0].level > level) open[0].level = level
    if (open.at(-1)?.level === level && open.at(-1)?.list.tagName !== name) open.pop()
    if (open.at(-1)?.level !== level) {
      const above = open.at(-1)?.list.children.findLast((child) => child.type === 'element')
      const list = h(name, [], start === undefined ? {} : { start })
      const parent = above?.type === 'element' ? above : root
      parent.children.push(list)
      open.push({ level, list })
    }
    for (const item of items) open.at(-1)?.list.children.push(item)
  }
  return root
}
