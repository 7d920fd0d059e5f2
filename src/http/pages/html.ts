import { escapeHtml } from '#lib/escape-html.ts'

/** Text that is HTML already. Only `html` and `verbatim` make it. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | false | null | undefined | readonly Part[]

/** HTML of a template: what is put in is escaped unless it is `Html`; nothing is made of absent parts. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return verbatim(
    strings.map((text, i) => text + (i < parts.length ? shown(parts[i]) : '')).join(''),
  )
}

/** Declares a text to be HTML. Never for text that comes from elsewhere. */
export const verbatim = (text: string): Html => ({ html: text })

/** HTML parts with a separator between them. */
export function joined(parts: readonly Part[], separator: string): Html {
  return verbatim(parts.map(shown).join(shown(separator)))
}

/** One line of text in which `backticks` mark code. */
export function line(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part))}`
}

/** Paragraphs, parted by empty lines, each as `line` reads it. */
export function paragraphs(text: string): Html {
  return html`${text.split(/\n\s*\n/).map((part) => html`<p>${line(part)}</p>`)}`
}

function shown(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if ('html' in part) return part.html
  return part.map(shown).join('')
}
