import type { Heading, RootContent } from 'mdast'
import {
  definitionList,
  docsPage,
  type Html,
  html,
  pageSection,
  proseBlock,
  renderInline,
  type SidebarGroup,
} from '../html/html.ts'
import { GUIDE_GROUPS, GUIDES, type GuideFile, guidePath } from './guide-files.ts'
import { headingId, MarkdownRenderer, parseDocument, textOf } from './markdown-renderer.ts'

/** A guide that is ready to be shown. */
export interface GuideContent extends GuideFile {
  readonly intro: Html
  readonly sections: readonly GuideSection[]
}

/** What stands below a heading of the second level. */
interface GuideSection {
  readonly id: string
  readonly title: string
  readonly text: Html
  /** The headings within it. */
  readonly subheadings: readonly { readonly id: string; readonly title: string }[]
  /** The different words of the text, for the search. */
  readonly words: readonly string[]
}

/** Parses a guide and renders its parts with the addresses of this installation. */
export function renderGuide(file: GuideFile, baseUrl: string): GuideContent {
  const { children } = parseDocument(file.markdown)
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

/** The words of a block, lower case; samples of code have too many that say nothing. */
function wordsOf(node: RootContent): string[] {
  if (node.type === 'code') return []
  return (
    textOf(node)
      .toLowerCase()
      .match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]+/gu) ?? []
  )
}

/** The list of all guides on the page at `/docs`; each slug is an anchor. */
export const guideIndex = (): Html[] =>
  GUIDE_GROUPS.map(({ title, guides }) =>
    pageSection({
      id: groupAnchor(title),
      heading: html`<h2>${title}</h2>`,
      text: definitionList(
        guides.map(({ slug, title, summary }) => ({
          id: slug,
          name: html`<a href="${guidePath(slug)}">${title}</a>`,
          text: html`<span>${renderInline(summary)}</span>`,
        })),
      ),
    }),
  )

const groupAnchor = (title: string) => `guides-${title.toLowerCase().replaceAll(' ', '-')}`

/** The page of a guide. */
export function guidePage({ slug, title, summary, intro, sections }: GuideContent): string {
  return docsPage({
    title: `${title} – Docket docs`,
    heading: title,
    summary: renderInline(summary),
    kind: 'app guide',
    alternate: `${guidePath(slug)}.md`,
    groups: [
      {
        title: 'On this page',
        links: sections.map(({ id, title }) => ({ href: `#${id}`, text: title })),
      },
      ...guideLinks(slug),
    ],
    content: html`
${intro.html !== '' && proseBlock(intro)}
${sections.map(({ id, title, text }) =>
  pageSection({
    id,
    heading: html`<h2><a href="#${id}">${title}</a></h2>`,
    text: proseBlock(text),
  }),
)}
${neighborLinks(slug)}`,
  })
}

/** The guides as groups of the sidebar. */
export const guideLinks = (currentSlug?: string): SidebarGroup[] =>
  GUIDE_GROUPS.map(({ title, guides }) => ({
    title,
    links: guides.map(({ slug, title }) => ({
      href: guidePath(slug),
      text: title,
      current: slug === currentSlug,
    })),
  }))

function neighborLinks(slug: string): Html {
  const at = GUIDES.findIndex((guide) => guide.slug === slug)
  const link = (guide: GuideFile | undefined, label: string, rel: string) =>
    guide &&
    html`<a href="${guidePath(guide.slug)}" rel="${rel}"><span>${label}</span> ${guide.title}</a>`
  return html`<nav class="neighbors" aria-label="Other guides">${link(GUIDES[at - 1], 'Previous', 'prev')}${link(GUIDES[at + 1], 'Next', 'next')}</nav>`
}
