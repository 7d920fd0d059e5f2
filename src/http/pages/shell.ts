import { type Html, html, verbatim } from './html.ts'

/** A whole page: head, skip link, and what the page puts into its body. */
export function shell(page: { title: string; kind: string; main: string; body: Html }): string {
  const { title, kind, main, body } = page
  const text = html`${verbatim('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="preload" href="/docs/assets/instrument-sans-var.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/docs/assets/pages.css">
<script src="/docs/assets/pages.js" defer></script>
</head>
<body class="${kind}">
<a class="skip" href="#main">${main}</a>
${body}
</body>
</html>
`
  return text.html
}

/** The mark and a name, leading home. */
export const brandOf = (name: string): Html =>
  html`<a class="brand" href="/"><svg class="logo" viewBox="0 0 16 16" aria-hidden="true"><path class="slip" d="M2 1.5h8.5L14 5v9.5H2z"/><path class="cut" d="M5 1.5v13"/><path class="tick" d="m7 9 1.7 1.8L12 6.8"/></svg>${name}</a>`

export const brand = brandOf('Docket')

/** A side bar of groups of links, and the button that opens it where there is no room for it. */
export function contents(groups: readonly Group[]): Html {
  return html`
<div class="bar">${brand}<button class="btn" type="button" popovertarget="contents">Contents</button></div>
<nav class="side" id="contents" aria-label="Contents" popover>
${brand}
<div class="find" hidden><label class="sr" for="filter">Filter the contents</label><input class="field" id="filter" type="search" placeholder="Filter" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"><kbd aria-hidden="true">/</kbd></div>
<p class="none" role="status"></p>
${groups.map(
  ({ title, href, links }) =>
    html`<div class="group"><h2>${href ? html`<a href="${href}">${title}</a>` : title}</h2><ul>${links.map(
      (link) => html`
<li><a href="${link.href}"${link.find && html` data-find="${link.find}"`}><span class="lbl">${link.text}</span>${link.mark && html`<span class="n">${link.mark}</span>`}</a></li>`,
    )}</ul></div>`,
)}
</nav>`
}

/** Links under a heading. `find` is what the filter looks at beside the text, `mark` stands at the end. */
export interface Group {
  readonly title: string
  readonly href?: string
  readonly links: readonly { href: string; text: string; mark?: string; find?: string }[]
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 1.5h8.5L14 5v9.5H2z" fill="#08694a"/><path d="M5 1.5v13M7 9l1.7 1.8L12 6.8" fill="none" stroke="#fff" stroke-width="1.3"/></svg>',
)}`
