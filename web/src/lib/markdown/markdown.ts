import type { Nodes } from 'mdast'
import { parseUrl } from '../text/parse-url.ts'

const SAFE_PROTOCOLS = ['http:', 'https:', 'mailto:']
const ATTACHMENT_PATH =
  /^\/(?:api\/v1|internal)\/attachments\/att_[0-9a-hjkmnp-tv-z]{26}(?:\/content)?$/

/** A link that may be followed (http, https, mailto, or on this origin), otherwise undefined. */
export function toSafeLink(
  url: string,
  origin: string,
): { href: string; own: boolean } | undefined {
  if (url.startsWith('#')) return { href: url, own: true }
  const parsed = parseUrl(url, origin)
  if (!parsed || !SAFE_PROTOCOLS.includes(parsed.protocol)) return undefined
  const own = parsed.origin === origin
  // A path that begins with two slashes would lead to another host.
  const short = own && !parsed.pathname.startsWith('//')
  return { href: short ? parsed.pathname + parsed.search + parsed.hash : parsed.href, own }
}

/** The path of an attachment on this origin; only these are shown as images. */
export function toAttachmentImage(url: string, origin: string): string | undefined {
  const parsed = parseUrl(url, origin)
  return parsed?.origin === origin && ATTACHMENT_PATH.test(parsed.pathname)
    ? parsed.pathname
    : undefined
}

/** A part of a text: plain text, a mention, or the short id of a task. */
type TextPart = string | { mention: string } | { task: string }

/**
 * A short id stands alone: `ENG-1.5`, `ENG-1-2` and `ENG-1.md` are versions, numbers and names of files. The sign
 * that ends a sentence is followed by no letter or digit.
 */
const REFERENCE =
  /<@(usr_[0-9a-hjkmnp-tv-z]{26})>|(?<!\w|\w[-.])([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})(?!\w|[-.]\w|,\d)/g

/** Splits a text into plain parts, mentions (`<@usr_…>`) and short ids (`DOC-12`). */
export function splitReferences(text: string): TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (const found of text.matchAll(REFERENCE)) {
    const [whole, mention, task = ''] = found
    if (found.index > from) parts.push(text.slice(from, found.index))
    parts.push(mention ? { mention } : { task })
    from = found.index + whole.length
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** The text of a list item without its nested lists, as the label of its checkbox. */
export function getItemText(node: Nodes): string {
  if ('value' in node) return node.value
  if (!('children' in node)) return ''
  return node.children
    .filter(({ type }) => type !== 'list')
    .map(getItemText)
    .join('')
}

/** The source with the first checkbox from an offset on toggled. */
export function toggleCheckbox(source: string, offset: number): string {
  const box = /\[([ \txX])\]/g
  box.lastIndex = offset
  const found = box.exec(source)
  if (!found) return source
  const mark = /x/i.test(found[1] ?? '') ? ' ' : 'x'
  return `${source.slice(0, found.index + 1)}${mark}${source.slice(found.index + 2)}`
}
