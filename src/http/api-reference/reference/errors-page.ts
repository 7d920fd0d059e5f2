import { ERRORS_MARKDOWN } from '../error-codes.ts'
import { MarkdownRenderer } from '../guides/markdown-renderer.ts'
import { docsPage, html, pageSection } from '../html/html.ts'

/** The page at `/docs/errors`, from docs/errors.md. Each code is an anchor, because `error.doc_url` links to it. */
export function errorsPage(): string {
  const [head = '', ...sections] = ERRORS_MARKDOWN.split(/^## /m)
  const [, ...intro] = head.trim().split('\n\n')
  const renderer = new MarkdownRenderer('')
  const parts = sections.map((section) => {
    const [title = '', ...text] = section.split('\n')
    const [, status] = /^(\d{3}) /.exec(title) ?? []
    return {
      id: status === undefined ? `codes-${title.split(' ')[0]?.toLowerCase()}` : `status-${status}`,
      title,
      status,
      codes: [...section.matchAll(/^\| `(\w+)`/gm)].map(([, code = '']) => code),
      text: renderer.renderReference(text.join('\n'), title),
    }
  })
  return docsPage({
    title: 'Errors of the Docket API',
    heading: 'Error codes',
    alternate: '/docs/errors.md',
    groups: parts.map(({ id, title, codes }) => ({
      title,
      href: `#${id}`,
      links: codes.map((code) => ({ href: `#${code}`, text: code })),
    })),
    content: html`
${renderer.renderReference(intro.join('\n\n'), 'Error codes')}
${parts.map(({ id, title, status, text }) =>
  pageSection({
    id,
    gutter: html`<b>${status}</b>`,
    heading: html`<h2><a href="#${id}">${title.replace(/^\d{3} /, '')}</a></h2>`,
    text,
  }),
)}`,
  })
}
