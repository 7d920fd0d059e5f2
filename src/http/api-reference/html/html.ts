import { escapeHtml } from '#lib/escape-html.ts'

/** Trusted HTML. Only `html` and `rawHtml` create it. */
export interface Html {
  readonly html: string
}

type HtmlPart = Html | string | number | false | null | undefined | readonly HtmlPart[]

/**
 * Template tag for HTML. Escapes all values that are not `Html`; omits null, undefined and false.
 */
export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return rawHtml(
    strings.map((text, i) => text + (i < parts.length ? renderPart(parts[i]) : '')).join(''),
  )
}

/** Marks text as HTML without escaping it. Never use it for input. */
const rawHtml = (text: string): Html => ({ html: text })

/** Renders one line of text in which backticks mark code. */
export function renderInline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part))}`
}

function renderPart(part: HtmlPart): string {
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if ('html' in part) return part.html
  return part.map(renderPart).join('')
}

/** Renders code with highlighted strings and names. The script of the page adds a copy button. */
export function codeBlock(text: string, label: string): Html {
  return html`<figure class="code" aria-label="${label}"><pre><code>${highlight(text)}</code></pre></figure>`
}

const TOKENS =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:)|^curl|^HTTP\/1\.1 \d+|^[A-Za-z-]+(?=: ))|("(?:[^"\\\n]|\\.)*"|'[^']*')/gm

function highlight(text: string): Html {
  const parts: Html[] = []
  let end = 0
  for (const { 0: token, 1: name, index } of text.matchAll(TOKENS)) {
    parts.push(
      html`${text.slice(end, index)}${name ? html`<b>${token}</b>` : html`<i>${token}</i>`}`,
    )
    end = index + token.length
  }
  return html`${parts}${text.slice(end)}`
}

/** A section of a page: gutter, heading, text, and code beside it on wide screens. */
export function pageSection(section: {
  id: string
  gutter?: Html | string
  heading: Html
  text: Html | (Html | '')[]
  aside?: Html | Html[]
}): Html {
  const { id, gutter, heading, text, aside } = section
  return html`
<section class="entry" id="${id}">
<div class="text"><div class="line top"><div class="gut">${gutter}</div>${heading}</div>
${text}</div>
${aside && html`<div class="aside">${aside}</div>`}
</section>`
}

/** Text aligned to the right of the gutter. */
export const proseBlock = (text: Html | Html[]): Html => html`<div class="in prose">${text}</div>`

/** A heading within a section. */
export const subheading = (title: string): Html =>
  html`<div class="band"><div class="gut"></div><h4>${title}</h4></div>`

/** A row of a definition list: gutter, name and description. */
interface DefinitionRow {
  readonly id?: string
  readonly gutter?: Html | string | number | false | undefined
  readonly name: Html
  readonly text: Html | string
}

/** A definition list. */
export function definitionList(list: readonly DefinitionRow[]): Html {
  return html`<dl class="rows">${list.map(
    ({ id, gutter, name, text }) => html`
<div class="row"${id && html` id="${id}"`}><dt><span class="gut">${gutter} </span><span class="name">${name}</span></dt><dd>${text}</dd></div>`,
  )}</dl>`
}

/** A complete HTML page with head, skip link and body. */
export function pageShell(page: {
  title: string
  kind: string
  main: string
  /** The address of the same page as Markdown. */
  alternate?: string
  body: Html
}): string {
  const { title, kind, main, alternate, body } = page
  const text = html`${rawHtml('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${alternate !== undefined && html`<link rel="alternate" type="text/markdown" href="${alternate}">\n`}<link rel="icon" href="${ICON}">
<link rel="preload" href="/docs/assets/instrument-sans-var.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/docs/assets/pages.css">
<script src="/docs/assets/pages.js" defer></script>
${kind !== 'land' && html`<script src="/docs/assets/contents.js" defer></script>\n`}</head>
<body class="${kind}">
<a class="skip" href="#main">${main}</a>
${body}
</body>
</html>
`
  return text.html
}

/** Logo and name, linked to the start page. */
export const DOCKET_BRAND = html`<a class="brand" href="/"><svg class="logo" viewBox="0 0 16 16" aria-hidden="true"><path class="slip" d="M2 1.5h8.5L14 5v9.5H2z"/><path class="cut" d="M5 1.5v13"/><path class="tick" d="m7 9 1.7 1.8L12 6.8"/></svg>Docket</a>`

/** A sidebar with the search and groups of links, and the button that opens it on narrow screens. */
function sidebar(groups: readonly SidebarGroup[]): Html {
  return html`
<header class="bar">${DOCKET_BRAND}<button class="btn" type="button" popovertarget="contents">Contents</button></header>
<nav class="side" id="contents" aria-label="Contents" popover>
${DOCKET_BRAND}
<div class="find" hidden><label class="sr" for="docs-search">Search the docs</label><input class="field" id="docs-search" type="search" placeholder="Search the docs" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" aria-controls="docs-results"><kbd aria-hidden="true">/</kbd></div>
<p class="count" role="status"></p>
<ul id="docs-results" hidden></ul>
${groups.map(
  ({ title, href, links }) =>
    html`<div class="group"><h2>${href ? html`<a href="${href}">${title}</a>` : title}</h2><ul>${links.map(
      (link) => html`
<li><a href="${link.href}"${link.current && html` aria-current="page"`}><span class="lbl">${link.text}</span>${link.mark && html`<span class="n">${link.mark}</span>`}</a></li>`,
    )}</ul></div>`,
)}
</nav>`
}

/** Links under a heading; `mark` is shown at the end, `current` marks the page that is open. */
export interface SidebarGroup {
  readonly title: string
  readonly href?: string
  readonly links: readonly { href: string; text: string; mark?: string; current?: boolean }[]
}

/** A page of the docs: sidebar, heading, and a line below it. */
export function docsPage(page: {
  title: string
  heading: string
  /** The word in the gutter beside the heading. */
  gutter?: string | number
  summary?: Html
  /** The groups of the sidebar before those of all pages. */
  groups: readonly SidebarGroup[]
  kind?: string
  alternate?: string
  content: Html | Html[]
}): string {
  const { title, heading, gutter, summary, groups, kind = 'app', content, ...rest } = page
  return pageShell({
    ...rest,
    title,
    kind,
    main: 'Skip to the content',
    body: html`
${sidebar([...groups, REFERENCE_LINKS])}
<main class="paper" id="main" tabindex="-1">
<header class="head"><div class="line"><div class="gut">${gutter}</div><h1>${heading}</h1></div>
${summary && html`<div class="line"><div class="gut"></div><p>${summary}</p></div>`}</header>
${content}
</main>`,
  })
}

/** What each sidebar ends with. */
const REFERENCE_LINKS: SidebarGroup = {
  title: 'Reference',
  links: [
    { href: '/docs#reference', text: 'API reference' },
    { href: '/docs/errors', text: 'Error codes' },
    { href: '/docs/packages', text: 'Packages' },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document' },
  ],
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 1.5h8.5L14 5v9.5H2z" fill="#08694a"/><path d="M5 1.5v13M7 9l1.7 1.8L12 6.8" fill="none" stroke="#fff" stroke-width="1.3"/></svg>',
)}`
