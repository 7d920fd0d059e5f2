import { type Html, html, renderInline } from '../html/html.ts'
import { pageSection, proseBlock } from '../html/page-section.ts'
import { pageShell, type SidebarGroup, sidebar } from '../html/page-shell.ts'
import type { GuideContent } from './guide-content.ts'
import { GUIDE_GROUPS, GUIDES, type GuideFile, guidePath } from './guide-files.ts'

/** The page of a guide. */
export function guidePage({ slug, title, summary, intro, sections }: GuideContent): string {
  return pageShell({
    title: `${title} – Docket docs`,
    kind: 'app guide',
    main: 'Skip to the guide',
    alternate: `${guidePath(slug)}.md`,
    body: html`
${sidebar([
  {
    title: 'On this page',
    links: sections.map(({ id, title }) => ({ href: `#${id}`, text: title })),
  },
  ...guideLinks(slug),
  REFERENCE_LINKS,
])}
<main class="paper" id="main" tabindex="-1">
<header class="head"><div class="line"><div class="gut"></div><h1>${title}</h1></div>
<div class="line"><div class="gut"></div><p>${renderInline(summary)}</p></div></header>
${intro.html !== '' && proseBlock(intro)}
${sections.map(({ id, title, text }) =>
  pageSection({
    id,
    heading: html`<h2><a href="#${id}">${title}</a></h2>`,
    text: proseBlock(text),
  }),
)}
${neighborLinks(slug)}
</main>`,
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

const REFERENCE_LINKS: SidebarGroup = {
  title: 'Reference',
  links: [
    { href: '/docs#reference', text: 'API reference' },
    { href: '/docs/errors', text: 'Error codes' },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document' },
  ],
}

function neighborLinks(slug: string): Html {
  const at = GUIDES.findIndex((guide) => guide.slug === slug)
  const link = (guide: GuideFile | undefined, label: string, rel: string) =>
    guide &&
    html`<a href="${guidePath(guide.slug)}" rel="${rel}"><span>${label}</span> ${guide.title}</a>`
  return html`<nav class="neighbors" aria-label="Other guides">${link(GUIDES[at - 1], 'Previous', 'prev')}${link(GUIDES[at + 1], 'Next', 'next')}</nav>`
}
