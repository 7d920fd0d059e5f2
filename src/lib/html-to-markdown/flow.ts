import type { Element, ElementContent, Properties } from 'hast'

export type Mark = 'strong' | 'em' | 'del' | 'code'

/** What words are marked with. */
interface Marking {
  marks: ReadonlySet<Mark>
  link: string | undefined
}

/** Words, or an element within them. */
interface Leaf extends Marking {
  content: string | Element
}

/** Collects the words and blocks of a container in their order. */
export interface Flow {
  addText(text: string, marking: Marking & { keepsLines?: boolean }): void
  addNode(element: Element, marking: Marking): void
  /** A line break that is written. On an empty line it ends the paragraph. */
  breakLine(): void
  /** Words that follow begin on another line. */
  endLine(): void
  endParagraph(): void
  addBlock(...blocks: readonly ElementContent[]): void
  finish(): ElementContent[]
}

/** Creates an element. */
export const h = (
  tagName: string,
  children: readonly ElementContent[],
  properties: Properties = {},
): Element => ({ type: 'element', tagName, properties, children: [...children] })

export function createFlow(): Flow {
  const blocks: ElementContent[] = []
  let lines: Leaf[][] = []
  let line: Leaf[] = []

  function endLine(): void {
    if (!line.every(isBlank)) lines.push(line)
    line = []
  }
  function endParagraph(): void {
    endLine()
    if (lines.length > 0) blocks.push(h('p', joinLines(lines)))
    lines = []
  }
  function breakLine(): void {
    if (line.every(isBlank)) endParagraph()
    else endLine()
  }
  return {
    addText(text, { marks, link, keepsLines = false }) {
      for (const [at, part] of (keepsLines ? text.split(/\r\n?|\n/) : [text]).entries()) {
        if (at > 0) breakLine()
        line.push({ content: part, marks, link })
      }
    },
    addNode: (content, { marks, link }) => void line.push({ content, marks, link }),
    breakLine,
    endLine,
    endParagraph,
    addBlock(...added) {
      endParagraph()
      blocks.push(...added)
    },
    finish() {
      endParagraph()
      return blocks
    },
  }
}

const SPACES = /[\s\u00a0\ufeff]+/g
const isBlank = ({ content }: Leaf): boolean =>
  typeof content === 'string' && content.replace(SPACES, '') === ''

const joinLines = (lines: readonly Leaf[][]): ElementContent[] =>
  lines.flatMap((line, at) => [
    ...(at > 0 ? [h('br', [])] : []),
    ...toNodes(collapseSpaces(line), new Set()),
  ])

/**
 * Makes one space of several, and leaves none at the ends of the line. A space has those marks alone that are
 * also on both of its sides, so that marks are close around words: `**a **` would be asterisks.
 */
function collapseSpaces(line: readonly Leaf[]): Leaf[] {
  const leaves: Leaf[] = []
  let space: Leaf | undefined
  const add = (leaf: Leaf) => {
    const before = leaves.at(-1)
    if (space && before) {
      const marks = before.marks.intersection(leaf.marks)
      // The space between two codes is none.
      if (marks.has('code') && !space.marks.has('code')) marks.delete('code')
      leaves.push({ content: ' ', marks, link: before.link === leaf.link ? leaf.link : undefined })
    }
    space = undefined
    leaves.push(leaf)
  }
  for (const leaf of line) {
    const { content } = leaf
    if (typeof content !== 'string') {
      add(leaf)
      continue
    }
    const words = content.replace(SPACES, ' ')
    if (words.startsWith(' ')) space = leaf
    if (words.trim() !== '') add({ ...leaf, content: words.trim() })
    if (words.endsWith(' ')) space = leaf
  }
  return leaves
}

/** A link, or a mark. Code is innermost, as nothing has a meaning in it. */
const OUTER_MARKS = ['link', 'strong', 'em', 'del'] as const
const TAG_NAMES = { link: 'a', strong: 'strong', em: 'em', del: 'del', code: 'code' }
type Wrapper = keyof typeof TAG_NAMES

/** The elements that mark the words. Of several marks, the one that lasts longest is outside. */
function toNodes(leaves: readonly Leaf[], applied: ReadonlySet<Wrapper>): ElementContent[] {
  const nodes: ElementContent[] = []
  for (let from = 0, end = 0; from < leaves.length; from = end) {
    const first = leaves[from]
    if (!first) break
    end = from + 1
    let wrapper: Wrapper | undefined
    for (const mark of OUTER_MARKS) {
      const runEnd = applied.has(mark) ? from : findRunEnd(leaves, from, mark)
      if (runEnd > from && (wrapper === undefined || runEnd > end)) [wrapper, end] = [mark, runEnd]
    }
    if (wrapper === undefined && first.marks.has('code')) {
      end = findRunEnd(leaves, from, 'code')
      nodes.push(h('code', leaves.slice(from, end).map(toContent)))
    } else if (wrapper === undefined) nodes.push(toContent(first))
    else {
      const properties = wrapper === 'link' ? { href: first.link ?? '' } : {}
      const inner = toNodes(leaves.slice(from, end), new Set([...applied, wrapper]))
      nodes.push(h(TAG_NAMES[wrapper], inner, properties))
    }
  }
  return nodes
}

const toContent = ({ content }: Leaf): ElementContent =>
  typeof content === 'string' ? { type: 'text', value: content } : content

/** The end of the words from a place on that have a mark, or the same link. */
function findRunEnd(leaves: readonly Leaf[], from: number, wrapper: Wrapper): number {
  const link = leaves[from]?.link
  const has = (leaf: Leaf): boolean =>
    wrapper === 'link'
      ? link !== undefined && leaf.link === link
      : leaf.marks.has(wrapper) && (wrapper !== 'code' || leaf.link === link)
  let end = from
  for (let leaf = leaves[end]; leaf && has(leaf); leaf = leaves[end]) end += 1
  return end
}
