import { type Html, html, renderInline } from '../html/html.ts'
import { definitionList, pageSection } from '../html/page-section.ts'
import { GUIDE_GROUPS, guidePath } from './guide-files.ts'

/**
 * Anchors that `/docs` had before the guides were pages of their own, by the guide that has their
 * text now. Applications and bookmarks may still link to them.
 */
const FORMER_ANCHORS: Readonly<Record<string, readonly string[]>> = {
  quickstart: ['start'],
  requests: ['records', 'dry-run'],
  idempotency: ['conditional-requests'],
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
          name: html`${FORMER_ANCHORS[slug]?.map((id) => html`<span id="${id}"></span>`)}<a href="${guidePath(slug)}">${title}</a>`,
          text: html`<span>${renderInline(summary)}</span>`,
        })),
      ),
    }),
  )

const groupAnchor = (title: string) => `guides-${title.toLowerCase().replaceAll(' ', '-')}`
