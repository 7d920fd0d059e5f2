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

/** The lists that paragraphs of Word, which follow each other, show. */
export function toWordList(paragraphs: readonly Element[]): Element {
  const root = h('div', [])
  const open: { level: number; list: Element }[] = []
  for (const paragraph of paragraphs) {
    const { level, number } = readListMark(paragraph) ?? { level: 1, number: undefined }
    const name = number === undefined ? 'ul' : 'ol'
    while (open.length > 1 && (open.at(-1)?.level ?? 0) > level) open.pop()
    // A list that began on a deeper level goes on.
    if (open[0] && open[0].level > level) open[0].level = level
    if (open.at(-1)?.level === level && open.at(-1)?.list.tagName !== name) open.pop()
    if (open.at(-1)?.level !== level) {
      const above = open.at(-1)?.list.children.at(-1)
      const list = h(name, [], number === undefined ? {} : { start: number })
      const parent = above?.type === 'element' ? above : root
      parent.children.push(list)
      open.push({ level, list })
    }
    const { style, ...properties } = paragraph.properties
    const content = h('div', withoutMark(paragraph.children), properties)
    open.at(-1)?.list.children.push(h('li', [content]))
  }
  return root
}
