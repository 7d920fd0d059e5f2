import type { ElementContent } from 'hast'
import { defaultHandlers as elementHandlers, type Handle, toMdast } from 'hast-util-to-mdast'
import type { Image, Link, Parents, Text } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import {
  defaultHandlers,
  type Handlers,
  type Info,
  type State,
  toMarkdown,
} from 'mdast-util-to-markdown'

/** Writes clean blocks (`cleanTree`) as Markdown. */
export function writeMarkdown(blocks: ElementContent[]): string {
  const tree = toMdast({ type: 'root', children: blocks }, { handlers: ELEMENT_HANDLERS })
  return toMarkdown(tree, {
    bullet: '-',
    emphasis: '*',
    fences: true,
    handlers: HANDLERS,
    listItemIndent: 'one',
    rule: '-',
    // Whatever follows it, it begins an address, and an address takes in escapes and marks.
    unsafe: [
      {
        character: '.',
        before: '[Ww]{3}',
        inConstruct: 'phrasing',
        notInConstruct: ['autolink', 'link', 'image', 'label'],
      },
    ],
    extensions: [GFM],
  }).trim()
}

const ELEMENT_HANDLERS: Record<string, Handle> = {
  // Only references are spans in a clean tree.
  span: (_, { properties }) => ({ type: 'html', value: String(properties.value) }),
  // The library sets items apart for a list of several items in one of them.
  li: (state, item) => ({
    ...elementHandlers.li(state, item),
    spread: item.children.some((child) => child.type === 'element' && child.tagName === 'p'),
  }),
}

const GFM = gfmToMarkdown({ tablePipeAlign: false })
const writeTable = GFM.extensions?.find(({ handlers }) => handlers?.table)?.handlers?.table

const HANDLERS: Partial<Handlers> = {
  // Three dashes below a head, as people write them.
  ...(writeTable && {
    table: (node, parent, state, info) =>
      writeTable(node, parent, state, info).replace(/\n.*/, (line: string) =>
        line.replaceAll('-', '---'),
      ),
  }),
  // Docket shows a line end as one (`renderLines` of the web app).
  break: () => '\n',
  text: (node: Text, _, state, info) => writeText(node.value, state, info),
  link: Object.assign(writeLink, { peek: peekLink }),
  image: Object.assign(writeImage, { peek: defaultHandlers.image.peek }),
}

/** An address of a page or of email, which Docket makes a link of. Text in Chinese or Japanese ends it. */
const ADDRESS =
  /(?:(?<![a-z])https?:\/\/[^\s<>|\u3000-\u9fff\uff00-\uffef“”]*|(?<![\w.+-])(?:www\.|[\w.+-]+@)[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?<![^\p{L}\p{N}/=#_])/giu

/**
 * Writes a text so that nothing in it is markup. Addresses are left as they are, as escapes would become a part
 * of them, and they would take in the marks around them unless they are put between angle brackets.
 */
function writeText(text: string, state: State, info: Info): string {
  const isLinked = state.stack.some((construct) => construct === 'link' || construct === 'autolink')
  let written = ''
  let from = 0
  const add = (words: string, after: string) => {
    if (words === '') return
    const before = written.at(-1) ?? info.before
    written += withoutNeedlessEscapes(state.safe(words, { ...info, before, after }))
  }
  for (const { 0: address, index } of isLinked ? [] : text.matchAll(ADDRESS)) {
    const before = text[index - 1] ?? info.before
    const rest = text.slice(index + address.length) + info.after
    const isPage = /^(?:http|www)/i.test(address)
    const isAlone = isPage
      ? /^[\s(]?$/.test(before) && /^[,.;:!?)]*(?:\s|$)/.test(rest)
      : /^[\s(<:]?$/.test(before) && /^(?:[\s,.;:!?)>]|$)/.test(rest)
    if (!isAlone && !/^http/i.test(address)) continue
    const link = isAlone ? address : `<${address}>`
    add(text.slice(from, index), link.charAt(0))
    written += link
    from = index + address.length
  }
  add(text.slice(from), info.after)
  return written
}

const NEEDLESS_AMPERSAND_ESCAPE = /(?<!\\)\\&(?!#?\w+;)/g
const NEEDLESS_ASTERISK_ESCAPE = /(?<=[^\s\\] )\\\*(?= )/g
/** In names of files and addresses that Docket makes no links of: only `www.` and `http:` begin one. */
const NEEDLESS_ADDRESS_ESCAPE = /(?<=w)(?<!ww)\\(?=\.[\w-])|(?<!\\|https?)\\(?=:\/)/gi

/** The source is what people edit: an ampersand means nothing alone, nor does an asterisk between spaces. */
const withoutNeedlessEscapes = (markdown: string): string =>
  markdown
    .replace(NEEDLESS_AMPERSAND_ESCAPE, '&')
    .replace(NEEDLESS_ASTERISK_ESCAPE, '*')
    .replace(NEEDLESS_ADDRESS_ESCAPE, '')

/** Whether the words of a link are its address, and nothing beside it would become a part of it. */
function isBare(
  { url, children }: Link,
  { before, after }: Pick<Info, 'before' | 'after'>,
): boolean {
  const [first, ...more] = children
  if (more.length > 0 || first?.type !== 'text' || first.value !== url) return false
  return url.match(ADDRESS)?.[0] === url && /^\s?$/.test(before) && /^\s?$/.test(after)
}

function writeLink(node: Link, parent: Parents | undefined, state: State, info: Info): string {
  if (isBare(node, info)) return node.url
  return withPlainTarget(defaultHandlers.link({ ...node, title: null }, parent, state, info))
}

function writeImage(node: Image, parent: Parents | undefined, state: State, info: Info): string {
  return withPlainTarget(defaultHandlers.image({ ...node, title: null }, parent, state, info))
}

function withPlainTarget(link: string): string {
  const at = link.lastIndexOf('](')
  return link.slice(0, at) + link.slice(at).replace(NEEDLESS_AMPERSAND_ESCAPE, '&')
}

function peekLink(node: Link, parent: Parents | undefined, state: State): string {
  return node.url.startsWith('http') && isBare(node, { before: '', after: '' })
    ? 'h'
    : defaultHandlers.link.peek(node, parent, state)
}
