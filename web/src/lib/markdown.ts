import type { Nodes } from 'mdast'

const LINKS = ['http:', 'https:', 'mailto:']
const OWN_IMAGE = /^\/(?:api\/v1|internal)\/attachments\/att_[0-9a-hjkmnp-tv-z]{26}(?:\/content)?$/

/** A link that may be followed (http, https, mailto, or of this place), else undefined. */
export function safeLink(url: string, origin: string): { href: string; own: boolean } | undefined {
  if (url.startsWith('#')) return { href: url, own: true }
  const parsed = URL.parse(url, origin)
  if (!parsed || !LINKS.includes(parsed.protocol)) return undefined
  const own = parsed.origin === origin
  // A path that begins with two slashes would name another host.
  const short = own && !parsed.pathname.startsWith('//')
  return { href: short ? parsed.pathname + parsed.search + parsed.hash : parsed.href, own }
}

/** The address of an attachment of this place, which alone is shown as an image. */
export function ownImage(url: string, origin: string): string | undefined {
  const parsed = URL.parse(url, origin)
  return parsed?.origin === origin && OWN_IMAGE.test(parsed.pathname) ? parsed.pathname : undefined
}

/** A part of a text: as it stands, somebody's mention, or the short id of a task. */
export type TextPart = string | { mention: string } | { task: string }

const REFERENCE = /<@(usr_[0-9a-hjkmnp-tv-z]{26})>|\b([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})\b/g

/** A text in parts: `<@usr_…>` and `DOC-12` apart from what stands around them. */
export function partsOf(text: string): TextPart[] {
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

/** The words of an item of a list, without those of the lists in it: what its box is called. */
export function wordsOf(node: Nodes): string {
  if ('value' in node) return node.value
  if (!('children' in node)) return ''
  return node.children
    .filter(({ type }) => type !== 'list')
    .map(wordsOf)
    .join('')
}

/** The source with the first box from an offset on ticked, or not any more. */
export function toggled(source: string, offset: number): string {
  const box = /\[([ \txX])\]/g
  box.lastIndex = offset
  const found = box.exec(source)
  if (!found) return source
  const mark = /x/i.test(found[1] ?? '') ? ' ' : 'x'
  return `${source.slice(0, found.index + 1)}${mark}${source.slice(found.index + 2)}`
}
