import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { isInCodeBlock } from '#lib/markdown-code.ts'
import { delay } from '../../lib/browser/delay.ts'

/**
 * What shows that a text is no source. Without any of it, what is written like code is the source of something:
 * editors copy Markdown in such elements.
 */
const MARKUP =
  /<(?:h[1-6]|p|li|table|a|b|strong|em|i|s|del|blockquote|img|pre|code|dl|hr|sup|sub|details)[\s>]/i
const SOURCE = /white-space:\s*(?:pre|break)|monospace|courier|consolas|menlo/i
const MAX_HTML_LENGTH = 1_000_000

/**
 * Inserts what is pasted as Markdown; an address over selected words makes them a link. The plain text is there at
 * once, so that nothing is missing if somebody saves it before the converter is loaded.
 */
export const pasteMarkdown = ViewPlugin.fromClass(
  class implements PluginValue {
    readonly view: EditorView
    /** The plain texts that are still being converted. */
    readonly places = new Set<PastePlace>()

    constructor(view: EditorView) {
      this.view = view
    }

    update({ changes }: ViewUpdate): void {
      for (const place of this.places) {
        place.from = changes.mapPos(place.from, 1)
        place.to = Math.max(place.from, changes.mapPos(place.to, -1))
      }
    }

    destroy(): void {
      this.places.clear()
    }

    insert(text: string, { from, to }: PastePlace): void {
      const { main } = this.view.state.selection
      const end = from + text.length
      const isAtCaret = main.from <= to && main.to >= from
      this.view.dispatch({
        changes: { from, to, insert: text },
        ...(isAtCaret && { selection: { anchor: end } }),
        scrollIntoView: true,
        userEvent: 'input.paste',
      })
    }

    async insertConverted(html: string, plain: string): Promise<void> {
      const { from, to } = this.view.state.selection.main
      const line = this.view.state.doc.lineAt(from)
      const isOnLine = line.text.slice(0, from - line.from).trim() !== ''
      this.insert(plain, { from, to })
      const place = { from, to: from + plain.length }
      this.places.add(place)
      const markdown = await convert(html, plain)
      // The field may be gone, and the text changed.
      const isThere = this.places.delete(place)
      if (!isThere || this.view.state.sliceDoc(place.from, place.to) !== plain) return
      const isBlock = /^(?:#|[-*>|] |\d+[.)] |```)/.test(markdown)
      if (markdown !== plain) this.insert(isBlock && isOnLine ? `\n\n${markdown}` : markdown, place)
    }
  },
  {
    eventHandlers: {
      paste({ clipboardData }, { state }) {
        const { from, to, head } = state.selection.main
        // In code, a text is taken as it is.
        if (!clipboardData || isInCodeBlock(state.sliceDoc(), head)) return false
        const selected = state.sliceDoc(from, to)
        const plain = clipboardData.getData('text/plain').replace(/\r\n?/g, '\n')
        const address = plain.trim()
        if (/^https?:\/\/[^\s()]+$/.test(address) && /^[^\n[\]]*\S$/.test(selected)) {
          this.insert(`[${selected}](${address})`, { from, to })
          return true
        }
        const html = clipboardData.getData('text/html')
        const isText = html === '' || (!MARKUP.test(html) && SOURCE.test(html))
        if (isText || html.length > MAX_HTML_LENGTH) return false
        void this.insertConverted(html, plain)
        return true
      },
    },
  },
)

interface PastePlace {
  from: number
  to: number
}

/** A text that takes longer is converted in turns. */
const SLICE_MS = 40

/** The Markdown of a text, or the plain text if that is all, or if it cannot be converted. */
async function convert(html: string, plain: string): Promise<string> {
  let sliceStart = performance.now()
  const giveWay = () => {
    if (performance.now() - sliceStart < SLICE_MS) return undefined
    return delay(0).then(() => {
      sliceStart = performance.now()
    })
  }
  try {
    const { convertHtml } = await import('#lib/html-to-markdown/convert-html.ts')
    return (await convertHtml(html, giveWay)) || plain
  } catch {
    // The converter could not be loaded, or the text has too many elements: what was copied is not lost.
    return plain
  }
}
