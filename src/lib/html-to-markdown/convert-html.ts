import type { ElementContent, Nodes } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import {
  type DefaultTreeAdapterMap,
  defaultTreeAdapter,
  html as names,
  Parser,
  type Token,
} from 'parse5'
import { cleanTree } from './clean-tree.ts'
import { writeMarkdown } from './write-markdown.ts'

/** Elements below this depth are left out; their text stays. The converters call themselves for each level. */
const MAX_DEPTH = 100
/** The parser may make far more elements than a text has tags: it repeats open formatting in each paragraph. */
const MAX_ELEMENTS = 100_000
const LINE_BREAK = { tagName: 'br', tagID: names.TAG_ID.BR, attrs: [] }
const VOID = /^(?:br|hr|img|input|wbr|col|link|meta)$/
const INLINE =
  /^(?:a|abbr|b|big|code|del|em|font|i|ins|kbd|mark|s|samp|small|span|strike|strong|sub|sup|u|var)$/

/** Thrown for a text with more elements than a page that somebody reads. */
export class TooManyElementsError extends Error {}

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

/** Parses a part of a page as browsers do. */
function parseHtml(html: string): Nodes {
  let count = 0
  const parser = BoundedParser.getFragmentParser<DefaultTreeAdapterMap>(null, {
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement(...args) {
        count += 1
        if (count > MAX_ELEMENTS) throw new TooManyElementsError('The text has too many elements')
        return defaultTreeAdapter.createElement(...args)
      },
    },
  })
  parser.tokenizer.write(html, true)
  return fromParse5(parser.getFragment())
}

/** Leaves out what is nested too deeply. To look for an open element takes time by the depth. */
class BoundedParser extends Parser<DefaultTreeAdapterMap> {
  readonly #leftOut = new Map<string, number>()

  override onStartTag(token: Token.TagToken): void {
    const { tagName } = token
    if (this.openElements.stackTop < MAX_DEPTH || VOID.test(tagName)) {
      super.onStartTag(token)
      return
    }
    this.#leftOut.set(tagName, (this.#leftOut.get(tagName) ?? 0) + 1)
    // Words of two blocks do not become one.
    if (!INLINE.test(tagName)) super.onStartTag({ ...token, ...LINE_BREAK })
  }

  override onEndTag(token: Token.TagToken): void {
    const count = this.#leftOut.get(token.tagName) ?? 0
    if (count === 0) super.onEndTag(token)
    else this.#leftOut.set(token.tagName, count - 1)
  }
}
