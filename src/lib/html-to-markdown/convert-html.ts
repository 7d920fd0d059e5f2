import type { ElementContent } from 'hast'
import { cleanTree } from './clean-tree.ts'
import { parseHtml } from './parse-html.ts'
import { writeMarkdown } from './write-markdown.ts'

/**
 * Converts the HTML of rich text editors, office programs and web pages to Markdown that shows the same text.
 * It waits for `giveWay` between two blocks, so that others can do their work. A text with more elements than
 * a page that somebody reads throws a `TooManyElementsError`.
 */
export async function convertHtml(
  html: string,
  giveWay: () => Promise<void> | undefined = () => undefined,
): Promise<string> {
  const parts: string[] = []
  for (const blocks of groupBlocks(cleanTree(parseHtml(html)))) {
    parts.push(writeMarkdown(blocks))
    await giveWay()
  }
  return parts.filter(Boolean).join('\n\n')
}

/** The blocks one by one, but lists that follow each other together: they would become one. */
function groupBlocks(blocks: readonly ElementContent[]): ElementContent[][] {
  const groups: ElementContent[][] = []
  let wasList = false
  for (const block of blocks) {
    const isList = block.type === 'element' && /^(?:ul|ol)$/.test(block.tagName)
    const last = groups.at(-1)
    if (isList && wasList && last) last.push(block)
    else groups.push([block])
    wasList = isList
  }
  return groups
}
