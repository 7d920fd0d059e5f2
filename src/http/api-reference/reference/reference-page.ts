import { guideIndex } from '../guides/guide-index.ts'
import { guideLinks } from '../guides/guide-page.ts'
import { codeBlock } from '../html/code-block.ts'
import { type Html, html, rawHtml, renderInline, renderParagraphs } from '../html/html.ts'
import { pageSection, proseBlock } from '../html/page-section.ts'
import { pageShell, type SidebarGroup, sidebar } from '../html/page-shell.ts'
import type { OpenApiDocument } from '../openapi/openapi-types.ts'
import { groupRecordsByTag, type OperationCall } from '../openapi/operations.ts'
import { createReferenceContext, type ReferenceContext } from '../openapi/reference-context.ts'
import { operationAnchor, recordAnchor } from '../openapi/schema-description.ts'
import { fieldTable } from './field-table.ts'
import { operationSection } from './operation-section.ts'
import { groupOperations, type PageGroup } from './page-order.ts'

/** The page at `/docs`: the list of guides, then each resource with its records and operations. */
export function referencePage(openapi: OpenApiDocument): string {
  const baseUrl = openapi.servers?.[0]?.url ?? ''
  const context = createReferenceContext(openapi)
  const resources = createResources(openapi)
  return pageShell({
    title: 'Docket docs: guides and API reference',
    kind: 'app',
    main: 'Skip to the reference',
    scripts: ['code-tabs.js'],
    body: html`
${sidebar([...guideLinks(), ...resources.map(resourceLinks), OTHER_LINKS])}
<main class="paper" id="main" tabindex="-1">
${renderHeader(openapi, baseUrl)}
${guideIndex()}
${setUpSection(baseUrl)}
${resources.map((resource) => resourceSections(context, resource))}
</main>`,
  })
}

/** The page of one operation, for readers and programs that need no other. */
export function operationPage(openapi: OpenApiDocument, call: OperationCall): string {
  const section = operationSection(createReferenceContext(openapi), call)
  return pageShell({
    title: `${call.operation.summary} – Docket API reference`,
    kind: 'app',
    main: 'Skip to the operation',
    scripts: ['code-tabs.js'],
    alternate: `${operationPath(call)}.md`,
    body: html`
${sidebar([...createResources(openapi).map(operationLinks), ...guideLinks(), OTHER_LINKS])}
<main class="paper" id="main" tabindex="-1">
<header class="head"><div class="line"><div class="gut"></div><h1>${call.operation.summary}</h1></div></header>
${rawHtml(section.html.replaceAll('href="#', 'href="/docs#'))}
</main>`,
  })
}

/** The address of the page of an operation. */
export const operationPath = ({ operation }: OperationCall) =>
  `/docs/operations/${operation.operationId}`

const operationLinks = (resource: Resource): SidebarGroup => ({
  title: headingOf(resource),
  links: resource.calls.map((call) => ({
    href: operationPath(call),
    text: call.operation.summary,
  })),
})

/** A section of the reference: what it is about, its records and its operations. */
interface Resource extends PageGroup {
  readonly description: string
  readonly records: string[]
}

function createResources(openapi: OpenApiDocument): Resource[] {
  const recordsByTag = groupRecordsByTag(openapi)
  const descriptions = new Map(openapi.tags?.map(({ name, description }) => [name, description]))
  return groupOperations(openapi).map((group) => ({
    ...group,
    description: group.tags.map((tag) => descriptions.get(tag) ?? '').join('\n\n'),
    records: group.tags.flatMap((tag) => recordsByTag.get(tag) ?? []),
  }))
}

function renderHeader({ info }: OpenApiDocument, baseUrl: string): Html {
  return html`
<header class="head"><div class="line"><div class="gut">${info.version}</div><h1>Docket docs</h1></div>
<div class="line"><div class="gut"></div><p><code>${baseUrl}</code><span class="links"><a href="#reference">API reference</a> <a href="/docs/errors">Error codes</a> <a href="/api/v1/openapi.json">OpenAPI document</a></span></p></div></header>`
}

function resourceSections(context: ReferenceContext, resource: Resource): Html {
  const { description, records, calls } = resource
  const id = groupAnchor(resource)
  return html`
${pageSection({
  id,
  gutter: String(calls.length),
  heading: html`<h2><a href="#${id}">${headingOf(resource)}</a></h2>`,
  text: html`<div class="in prose">${description && renderParagraphs(description)}</div>`,
  aside: html`<ul class="calls">${calls.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operationAnchor(operation)}"><span class="method">${method.toUpperCase()}</span> <span>${path.replace('/api/v1', '')}</span></a></li>`,
  )}</ul>`,
})}
${records.map((name) => recordSection(context, name))}
${calls.map((call) => operationSection(context, call))}`
}

function recordSection(context: ReferenceContext, name: string) {
  const schema = context.openapi.components?.schemas?.[name] ?? {}
  return pageSection({
    id: recordAnchor(name),
    gutter: 'record',
    heading: html`<h3><a href="#${recordAnchor(name)}">${name}</a></h3>`,
    text: html`${schema.description && html`<div class="in prose"><p>${renderInline(schema.description)}</p></div>`}
${fieldTable(context, schema, { written: false })}`,
  })
}

const resourceLinks = (resource: Resource): SidebarGroup => ({
  title: headingOf(resource),
  href: `#${groupAnchor(resource)}`,
  links: [
    ...resource.records.map((name) => ({
      href: `#${recordAnchor(name)}`,
      text: name,
      mark: 'record',
    })),
    ...resource.calls.map(({ method, operation }) => ({
      href: `#${operationAnchor(operation)}`,
      text: operation.summary,
      mark: method === 'delete' ? 'DEL' : method.toUpperCase(),
    })),
  ],
})

const OTHER_LINKS: SidebarGroup = {
  title: 'Elsewhere',
  links: [
    { href: '/docs/errors', text: 'Error codes' },
    { href: '/api/v1/openapi.json', text: 'OpenAPI document' },
  ],
}

const groupAnchor = ({ title }: PageGroup) =>
  `tag-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

const headingOf = ({ title }: PageGroup) => title.charAt(0).toUpperCase() + title.slice(1)

/** The head of the reference: what a reader needs before the first sample works. */
function setUpSection(baseUrl: string): Html {
  return pageSection({
    id: 'reference',
    heading: html`<h2><a href="#reference">API reference</a></h2>`,
    text: proseBlock([
      html`<p>Every endpoint with its parameters, fields, replies, errors and a request that you can run. It is made from the schemas that check your requests. The <a href="/docs/guides/authentication#scopes">scope</a> and the <a href="/docs/guides/permissions#roles">roles</a> of an endpoint tell which credentials of which people may call it.</p>`,
      html`<p><b>Before you run a sample:</b> create an API key in the app under <a href="/start">Settings → API access</a>, and set <code>DOCKET_URL</code> and <code>DOCKET_KEY</code> in your terminal. The first start of Docket prints a key of the demo workspace.</p>`,
      html`<p>The samples follow one another: run from the top to the bottom of this page, all of them work in a new demo workspace. Those in curl also set the variables of later samples, such as <code>PROJECT_ID</code>. The other languages read the same variables from the environment and print the reply.</p>`,
      html`<p>TypeScript runs with <code>node sample.ts</code> (Node.js 22.18 or later), Python with <code>python3 sample.py</code>, Go with <code>go run sample.go</code>. None needs a package.</p>`,
    ]),
    aside: codeBlock(setUpCommands(baseUrl), 'Set up your terminal'),
  })
}

const setUpCommands = (baseUrl: string) => `export DOCKET_URL="${baseUrl}"
export DOCKET_KEY="dkt_…"`
