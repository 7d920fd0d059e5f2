import { authentication, rateLimits } from './access.ts'
import { oauth } from './acting.ts'
import { type Chapter, chapterSection } from './chapter.ts'
import type { OpenApiDocument, Tag } from './document.ts'
import { entry } from './entry.ts'
import { errors } from './failing.ts'
import { fieldTable } from './fields.ts'
import { events } from './following.ts'
import { type Html, html, line, paragraphs } from './html.ts'
import { operationAnchor, operationSection } from './operation.ts'
import { lists } from './reading.ts'
import { type Call, operationsOf, recordsByTag } from './records.ts'
import { contents, type Group, shell } from './shell.ts'
import { records, starting } from './starting.ts'
import { recordAnchor } from './words.ts'
import { conditions, dryRun, idempotency } from './writing.ts'

/** The reference at `/docs`: chapters of prose, then each resource with its records and operations. */
export function referencePage(openapi: OpenApiDocument): string {
  const base = openapi.servers?.[0]?.url ?? ''
  const chapters = chaptersOf(base)
  const resources = resourcesOf(openapi)
  const known = new Set(resources.flatMap((resource) => resource.records))
  const isRecord = (name: string) => known.has(name)
  return shell({
    title: 'Docket API reference',
    kind: 'app',
    main: 'Skip to the reference',
    body: html`
${contents([chapterLinks(chapters), ...resources.map(resourceLinks), ELSEWHERE])}
<main class="paper" id="main" tabindex="-1">
${head(openapi, base)}
${chapters.map((chapter, i) => chapterSection(chapter, i + 1))}
${resources.map((resource) => resourceSections(openapi, resource, isRecord))}
</main>`,
  })
}

interface Resource {
  readonly tag: Tag
  readonly records: string[]
  readonly calls: Call[]
}

const chaptersOf = (base: string): Chapter[] => [
  starting(base),
  authentication(base),
  oauth(base),
  records(),
  lists(base),
  errors(base),
  rateLimits(),
  idempotency(base),
  conditions(base),
  dryRun(base),
  events(base),
]

/** Tags in the document's order; those that only operations name come last. */
function resourcesOf(openapi: OpenApiDocument): Resource[] {
  const calls = operationsOf(openapi)
  const tags = openapi.tags ?? []
  const named = new Set(calls.map((call) => call.operation.tags[0] ?? ''))
  const others = [...named].filter((name) => !tags.some((tag) => tag.name === name))
  const byTag = recordsByTag(openapi)
  return [...tags, ...others.map((name) => ({ name }))]
    .map((tag) => ({
      tag,
      records: byTag.get(tag.name) ?? [],
      calls: calls.filter((call) => call.operation.tags[0] === tag.name),
    }))
    .filter((resource) => resource.calls.length > 0)
}

function head({ info }: OpenApiDocument, base: string): Html {
  return html`
<header class="head"><div class="line"><div class="gut">${info.version}</div><h1>Docket API reference</h1></div>
<div class="line"><div class="gut"></div><p><code>${base}</code><span class="links"><a href="/api/v1/openapi.json">OpenAPI document</a> <a href="/docs/errors">Errors</a></span></p></div></header>`
}

function resourceSections(
  openapi: OpenApiDocument,
  { tag, records, calls }: Resource,
  isRecord: (name: string) => boolean,
): Html {
  const title = titled(tag.name)
  return html`
${entry({
  id: tagAnchor(tag.name),
  gutter: String(calls.length),
  heading: html`<h2><a href="#${tagAnchor(tag.name)}">${title}</a></h2>`,
  text: html`<div class="in prose">${tag.description && paragraphs(tag.description)}</div>`,
  aside: html`<ul class="calls">${calls.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operationAnchor(operation)}"><span class="method">${method.toUpperCase()}</span> <span>${path.replace('/api/v1', '')}</span></a></li>`,
  )}</ul>`,
})}
${records.map((name) => recordSection(openapi, name, isRecord))}
${calls.map((call) => operationSection(openapi, call, isRecord))}`
}

function recordSection(
  openapi: OpenApiDocument,
  name: string,
  isRecord: (name: string) => boolean,
) {
  const schema = openapi.components?.schemas?.[name] ?? {}
  return entry({
    id: recordAnchor(name),
    gutter: 'record',
    heading: html`<h3><a href="#${recordAnchor(name)}">${name}</a></h3>`,
    text: html`${schema.description && html`<div class="in prose"><p>${line(schema.description)}</p></div>`}
${fieldTable(openapi, schema, { isRecord, written: false })}`,
  })
}

const chapterLinks = (chapters: Chapter[]): Group => ({
  title: 'Guide',
  links: chapters.map(({ id, title }) => ({ href: `#${id}`, text: title })),
})

const resourceLinks = ({ tag, records, calls }: Resource): Group => ({
  title: titled(tag.name),
  href: `#${tagAnchor(tag.name)}`,
  links: [
    ...records.map((name) => ({ href: `#${recordAnchor(name)}`, text: name, mark: 'record' })),
    ...calls.map(({ method, path, operation }) => ({
      href: `#${operationAnchor(operation)}`,
      text: operation.summary,
      mark: method === 'delete' ? 'DEL' : method.toUpperCase(),
      find: `${method} ${path} ${operation.operationId}`,
    })),
  ],
})

const ELSEWHERE: Group = {
  title: 'Elsewhere',
  links: [
    { href: '/docs/errors', text: 'Errors, one by one' },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document' },
  ],
}

const tagAnchor = (name: string) => `tag-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

const titled = (name: string) => {
  const text = name.replace(/[-_]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
