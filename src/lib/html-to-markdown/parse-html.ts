import type { Nodes } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import {
  type DefaultTreeAdapterMap,
  defaultTreeAdapter,
  html as names,
  Parser,
  type Token,
} from 'parse5'

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

/** Parses a part of a page as browsers do. */
export function parseHtml(html: string): Nodes {
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
