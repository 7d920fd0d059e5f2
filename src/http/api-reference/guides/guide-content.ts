import type { Heading, Root, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import type { Html } from '../html/html.ts'
import type { GuideFile } from './guide-files.ts'
import { headingId, MarkdownRenderer, textOf } from './markdown-renderer.ts'

/** A guide that is ready to be shown. */
export interface GuideContent extends GuideFile {
  readonly intro: Html
  readonly sections: readonly GuideSection[]
}

/** What stands below a heading of the second level. */
export interface GuideSection {
  readonly id: string
  readonly title: string
  readonly text: Html
  /** The headings within it. */
  readonly subheadings: readonly { readonly id: string; readonly title: string }[]
  /** The different words of the text, for the search. */
  readonly words: readonly string[]
}

const EXTENSIONS = [gfm()]
const MDAST_EXTENSIONS = [gfmFromMarkdown()]

/** Parses a guide and renders its parts with the addresses of this installation. */
export function renderGuide(file: GuideFile, baseUrl: string): GuideContent {
  const { children } = parseMarkdown(file.markdown)
  const parts: { heading: Heading | undefined; nodes: RootContent[] }[] = [
    { heading: undefined, nodes: [] },
  ]
  for (const node of children) {
    if (node.type === 'heading' && node.depth === 1) continue
    if (node.type === 'heading' && node.depth === 2) parts.push({ heading: node, nodes: [] })
    else parts.at(-1)?.nodes.push(node)
  }
  const [intro, ...sections] = parts
  const renderer = new MarkdownRenderer(baseUrl)
  return {
    ...file,
    // The summary is the first paragraph, and stands in the head of the page.
    intro: renderer.renderBlocks(intro?.nodes.slice(1) ?? [], file.title),
    sections: sections.map(({ heading, nodes }) => {
      const title = heading ? textOf(heading) : ''
      return {
        id: headingId(title),
        title,
        text: renderer.renderBlocks(nodes, title),
        subheadings: nodes
          .filter((node) => node.type === 'heading')
          .map((node) => ({ id: headingId(textOf(node)), title: textOf(node) })),
        words: [...new Set(nodes.flatMap(wordsOf))],
      }
    }),
  }
}

const parseMarkdown = (text: string): Root =>
  fromMarkdown(text, { extensions: EXTENSIONS, mdastExtensions: MDAST_EXTENSIONS })

/** The words of a block, lower case; samples of code have too many that say nothing. */
function wordsOf(node: RootContent): string[] {
  if (node.type === 'code') return []
  return (
    textOf(node)
      .toLowerCase()
      .match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]+/gu) ?? []
  )
}
