import {
  codeBlock,
  type DefinitionRow,
  definitionList,
  html,
  pageSection,
  pageShell,
  proseBlock,
  renderInline,
  type SidebarGroup,
  sidebar,
} from '../html/html.ts'
import {
  COMMAND_ERRORS,
  ERROR_CODES,
  type ErrorCodeEntry,
  FIELD_ERROR_CODES,
} from './error-codes.ts'

/** The page at `/docs/errors`. Each code is an anchor, because `error.doc_url` links to it. */
export function errorsPage(): string {
  return pageShell({
    title: 'Errors of the Docket API',
    kind: 'app',
    main: 'Skip to the errors',
    alternate: '/docs/errors.md',
    body: html`
${sidebar([...codesByStatus().map(statusLinks), DETAIL_LINKS, COMMAND_LINKS, OTHER_LINKS])}
<main class="paper" id="main" tabindex="-1">
<header class="head"><div class="line"><div class="gut">${ERROR_CODES.length}</div><h1>Error codes</h1></div>
<div class="line"><div class="gut"></div><p>What each <code>error.code</code> means and how to fix it. <span class="links"><a href="/docs">API reference</a></span></p></div></header>
${pageSection({
  id: 'shape',
  heading: html`<h2>Error format</h2>`,
  text: proseBlock(
    html`<p>Handle errors by their <code>code</code>. For codes that you do not know, use <code>type</code>.
<code>message</code> is for people and may change. If you ask for help, include the <code>request_id</code>.</p>`,
  ),
  aside: codeBlock(EXAMPLE_ERROR, 'An error'),
})}
${codesByStatus().map(statusSection)}
${pageSection({
  id: 'details',
  gutter: String(Object.keys(FIELD_ERROR_CODES).length),
  heading: html`<h2>Field errors in <code>details</code></h2>`,
  text: html`${proseBlock(html`<p>With status 422 each entry describes one invalid field. All errors in the form of the fields are returned at once.</p>`)}
${definitionList(Object.entries(FIELD_ERROR_CODES).map(([name, [meaning, remedy]]) => codeRow(name, meaning, remedy)))}`,
})}
${pageSection({
  id: 'command-line',
  gutter: String(Object.keys(COMMAND_ERRORS).length),
  heading: html`<h2>Command line and jobs</h2>`,
  text: html`${proseBlock(html`<p>The <code>docket</code> command prints these codes, or they end a job. No reply of the API has them.</p>`)}
${definitionList(Object.entries(COMMAND_ERRORS).map(([name, [meaning, remedy]]) => codeRow(name, meaning, remedy)))}`,
})}
</main>`,
  })
}

const codesByStatus = () => [...Map.groupBy(ERROR_CODES, (one) => one.status)]

function statusSection([status, codes]: [number, ErrorCodeEntry[]]) {
  const types = [...new Set(codes.map((one) => one.type))]
  return pageSection({
    id: `status-${status}`,
    heading: html`<h2>${STATUS_NAMES[status]}</h2>`,
    gutter: html`<b>${status}</b>`,
    text: html`
<p class="in type">type ${types.map((type) => html`<code>${type}</code> `)}</p>
${definitionList(codes.map((one) => codeRow(one.code, one.meaning, one.remedy)))}`,
  })
}

function codeRow(name: string, meaning: string, remedy: string): DefinitionRow {
  return {
    id: name,
    name: html`<a href="#${name}"><code>${name}</code></a>`,
    text: html`<span>${renderInline(meaning)}</span><span class="say">${renderInline(remedy)}</span>`,
  }
}

const statusLinks = ([status, codes]: [number, ErrorCodeEntry[]]): SidebarGroup => ({
  title: `${status} ${STATUS_NAMES[status] ?? ''}`,
  href: `#status-${status}`,
  links: codes.map(({ code }) => ({ href: `#${code}`, text: code })),
})

const DETAIL_LINKS: SidebarGroup = {
  title: 'Field errors',
  href: '#details',
  links: Object.keys(FIELD_ERROR_CODES).map((name) => ({ href: `#${name}`, text: name })),
}

const COMMAND_LINKS: SidebarGroup = {
  title: 'Command line and jobs',
  href: '#command-line',
  links: Object.keys(COMMAND_ERRORS).map((name) => ({ href: `#${name}`, text: name })),
}

const OTHER_LINKS: SidebarGroup = {
  title: 'More',
  links: [
    { href: '/docs', text: 'API reference' },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document' },
  ],
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Content too large',
  414: 'URI too long',
  415: 'Unsupported media type',
  416: 'Range not satisfiable',
  421: 'Misdirected request',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal server error',
  503: 'Service unavailable',
}

const EXAMPLE_ERROR = `{
  "error": {
    "type": "conflict",
    "code": "tag_exists",
    "message": "The project already has a tag with this name.",
    "request_id": "req_01k2m3n4p5q6r7s8t9v0w1x2y3",
    "doc_url": "…/docs/errors#tag_exists",
    "details": [ { "field": "name", "code": "tag_exists",
      "message": "…", "resource_id": "tag_…" } ]
  }
}`
