import { ERRORS_MARKDOWN } from '../error-codes.ts'
import { MarkdownRenderer } from '../guides/markdown-renderer.ts'
import { html, pageSection, pageShell, REFERENCE_LINKS, sidebar } from '../html/html.ts'

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
  return pageShell({
    title: 'Errors of the Docket API',
    kind: 'app',
    main: 'Skip to the errors',
    alternate: '/docs/errors.md',
    body: html`
${sidebar([
  ...parts.map(({ id, title, codes }) => ({
    title,
    href: `#${id}`,
    links: codes.map((code) => ({ href: `#${code}`, text: code })),
  })),
  REFERENCE_LINKS,
])}
<main class="paper" id="main" tabindex="-1">
<header class="head"><div class="line"><div class="gut"></div><h1>Error codes</h1></div></header>
${renderer.renderReference(intro.join('\n\n'), 'Error codes')}
${parts.map(({ id, title, status, text }) =>
  pageSection({
    id,
    gutter: html`<b>${status}</b>`,
    heading: html`<h2><a href="#${id}">${title.replace(/^\d{3} /, '')}</a></h2>`,
    text,
  }),
)}
</main>`,
  })
}
