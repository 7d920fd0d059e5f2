const LINKS = ['http:', 'https:', 'mailto:']
const OWN_IMAGE = /^\/(?:api\/v1|internal)\/attachments\/att_[0-9a-hjkmnp-tv-z]{26}(?:\/content)?$/

/** The elements that Markdown may become; anything else shows its text alone. */
export const ALLOWED = [
  ...['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'a', 'img', 'sup'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'input', 'section'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
] as const

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

/** What of a Markdown or HTML tree is looked at here. */
export interface TreeNode {
  type: string
  tagName?: string
  value?: string
  url?: string
  children?: TreeNode[]
  data?: { hName?: string; hProperties?: Record<string, unknown> }
  properties?: Record<string, unknown>
  position?: { start: { offset?: number } }
}

const REFERENCE = /<@(usr_[0-9a-hjkmnp-tv-z]{26})>|\b([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})\b/g

/** Turns `<@usr_…>` and `DOC-12` within text into links of their own; within links and code they stay text. */
export function references(tree: TreeNode): void {
  if (tree.type === 'link' || tree.type === 'linkReference') return
  if (!tree.children) return
  tree.children = tree.children.flatMap((child) => {
    if (child.type === 'text') return split(child.value ?? '')
    references(child)
    return child
  })
}

function split(text: string): TreeNode[] {
  const parts: TreeNode[] = []
  let from = 0
  for (const found of text.matchAll(REFERENCE)) {
    const [whole, person, task] = found
    if (found.index > from) parts.push({ type: 'text', value: text.slice(from, found.index) })
    parts.push({
      type: 'link',
      url: '',
      data: { hProperties: person ? { dataMention: person } : { dataTask: task } },
      children: [{ type: 'text', value: whole }],
    })
    from = found.index + whole.length
  }
  if (from < text.length) parts.push({ type: 'text', value: text.slice(from) })
  return parts
}

/** Numbers the boxes of task lists, names each by its item, and notes where in the source that begins. */
export function numberBoxes(tree: TreeNode): void {
  let index = 0
  const visit = (node: TreeNode, item: TreeNode | undefined) => {
    const within = node.tagName === 'li' ? node : item
    if (node.tagName === 'input' && node.properties) {
      node.properties.dataIndex = index
      node.properties.dataOffset = within?.position?.start.offset
      node.properties.dataLabel = within && textOf(within).trim()
      index += 1
    }
    for (const child of node.children ?? []) visit(child, within)
  }
  visit(tree, undefined)
}

/** The words of an item, without those of lists in it. */
const textOf = (node: TreeNode): string =>
  node.value ??
  (node.children ?? [])
    .filter(({ tagName }) => tagName !== 'ul' && tagName !== 'ol')
    .map(textOf)
    .join('')

/** The source with the first box from an offset on ticked, or not any more. */
export function toggled(source: string, offset: number): string {
  const box = /\[([ \txX])\]/g
  box.lastIndex = offset
  const found = box.exec(source)
  if (!found) return source
  const mark = /x/i.test(found[1] ?? '') ? ' ' : 'x'
  return `${source.slice(0, found.index + 1)}${mark}${source.slice(found.index + 2)}`
}
