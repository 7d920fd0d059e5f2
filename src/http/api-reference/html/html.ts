import { escapeHtml } from '#lib/escape-html.ts'

/** Trusted HTML. Only `html` and `rawHtml` create it. */
export interface Html {
  readonly html: string
}

type HtmlPart = Html | string | number | false | null | undefined | readonly HtmlPart[]

/**
 * Template tag for HTML. Escapes all values that are not `Html`; omits null, undefined and false.
 */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return rawHtml(
    strings.map((text, i) => text + (i < parts.length ? renderPart(parts[i]) : '')).join(''),
  )
}

/** Marks text as HTML without escaping it. Never use it for input. */
export const rawHtml = (text: string): Html => ({ html: text })

/** Joins parts with a separator. */
export function joinHtml(parts: readonly HtmlPart[], separator: string): Html {
  return rawHtml(parts.map(renderPart).join(renderPart(separator)))
}

/** Renders one line of text in which backticks mark code. */
export function renderInline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part))}`
}

/** Renders paragraphs, which empty lines separate; backticks mark code. */
export function renderParagraphs(text: string): Html {
  return html`${text.split(/\n\s*\n/).map((part) => html`<p>${renderInline(part)}</p>`)}`
}

function renderPart(part: HtmlPart): string {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if ('html' in part) return part.html
  return part.map(renderPart).join('')
}
