import { code } from './code.ts'
import { CODES, type Code } from './codes.ts'
import { DETAILS } from './details.ts'
import { entry, prose, type Row, rows } from './entry.ts'
import { html, line } from './html.ts'
import { contents, type Group, shell } from './shell.ts'

/** The page at `/docs/errors`. Each code is an anchor, because `error.doc_url` leads to it. */
export function errorsPage(): string {
  return shell({
    title: 'Errors of the Docket API',
    kind: 'app',
    main: 'Skip to the errors',
    body: html`
${contents([...statuses().map(statusLinks), DETAIL_LINKS, ELSEWHERE])}
<main class="paper" id="main" tabindex="-1">
<header class="head"><div class="line"><div class="gut">${CODES.length}</div><h1>Errors, one by one</h1></div>
<div class="line"><div class="gut"></div><p>Each <code>error.code</code>, what it means, and what to do about it. <span class="links"><a href="/docs">API reference</a></span></p></div></header>
${entry({
  id: 'shape',
  heading: html`<h2>The shape of an error</h2>`,
  text: prose(
    html`<p>Decide by <code>code</code>; new codes may come, and then <code>type</code> still tells the family.
<code>message</code> is for people and may change. When you ask for help, give <code>request_id</code>.</p>`,
  ),
  aside: code(EXAMPLE, 'An error'),
})}
${statuses().map(statusSection)}
${entry({
  id: 'details',
  gutter: String(Object.keys(DETAILS).length),
  heading: html`<h2>Within <code>details</code></h2>`,
  text: html`${prose(html`<p>At 422 each entry says what is wrong with one field.</p>`)}
${rows(Object.entries(DETAILS).map(([name, [meaning, remedy]]) => codeRow(name, meaning, remedy)))}`,
})}
</main>`,
  })
}

const statuses = () => [...Map.groupBy(CODES, (one) => one.status)]

function statusSection([status, codes]: [number, Code[]]) {
  const types = [...new Set(codes.map((one) => one.type))]
  return entry({
    id: `status-${status}`,
    heading: html`<h2>${NAMES[status]}</h2>`,
    gutter: html`<b>${status}</b>`,
    text: html`
<p class="in type">type ${types.map((type) => html`<code>${type}</code> `)}</p>
${rows(codes.map((one) => codeRow(one.code, one.meaning, one.remedy)))}`,
  })
}

function codeRow(name: string, meaning: string, remedy: string): Row {
  return {
    id: name,
    name: html`<a href="#${name}"><code>${name}</code></a>`,
    text: html`<span>${line(meaning)}</span><span class="say">${line(remedy)}</span>`,
  }
}

const statusLinks = ([status, codes]: [number, Code[]]): Group => ({
  title: `${status} ${NAMES[status] ?? ''}`,
  href: `#status-${status}`,
  links: codes.map(({ code }) => ({ href: `#${code}`, text: code })),
})

const DETAIL_LINKS: Group = {
  title: 'Within details',
  href: '#details',
  links: Object.keys(DETAILS).map((name) => ({ href: `#${name}`, text: name })),
}

const ELSEWHERE: Group = {
  title: 'Elsewhere',
  links: [
    { href: '/docs', text: 'API reference' },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document' },
  ],
}

const NAMES: Readonly<Record<number, string>> = {
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

const EXAMPLE = `{
  "error": {
    "type": "conflict",
    "code": "tag_exists",
    "message": "This project has a tag of that name already.",
    "request_id": "req_01k2m3n4p5q6r7s8t9v0w1x2y3",
    "doc_url": "…/docs/errors#tag_exists",
    "details": [ { "field": "name", "code": "tag_exists",
      "message": "…", "resource_id": "tag_…" } ]
  }
}`
