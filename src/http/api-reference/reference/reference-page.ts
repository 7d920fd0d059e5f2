import { giveWay } from '#lib/turns.ts'
import {
  listCalls,
  type OpenApiDocument,
  type OperationCall,
} from '../../openapi/document-types.ts'
import { guideIndex, guideLinks } from '../guides/guides.ts'
import { MarkdownRenderer } from '../guides/markdown-renderer.ts'
import {
  codeBlock,
  docsPage,
  type Html,
  html,
  pageSection,
  proseBlock,
  type SidebarGroup,
} from '../html/html.ts'
import { createSampleRequest, storedVariable, writeSamples } from '../samples/samples.ts'
import { exampleReply, fieldTable, joinBlocks, operationText } from './operation-markdown.ts'
import { createReferenceContext, groupRecordsByTag, type ReferenceContext } from './records.ts'
import { operationAnchor, recordAnchor } from './schema-words.ts'

/**
 * The samples of an operation, of which the first is open, and a recorded reply: without its details, the
 * page would be mostly replies.
 */
function examples(context: ReferenceContext, call: OperationCall): Html[] {
  const { operationId } = call.operation
  const request = createSampleRequest(call)
  const reply = exampleReply(context, call)
  if (!request || !reply) return []
  const isShort = reply.text.split('\n').length <= MAX_OPEN_LINES
  return [
    ...writeSamples(call, request).map(({ name, text }, at) =>
      disclosure(name, codeBlock(text, `${operationId} with ${name}`), at === 0),
    ),
    disclosure(
      html`Example reply <b>${reply.status}</b>`,
      codeBlock(reply.text, `Reply of ${operationId}`),
      isShort,
    ),
  ]
}

/** A longer reply is opened by the reader. */
const MAX_OPEN_LINES = 30

const disclosure = (title: Html | string, content: Html, isOpen: boolean) =>
  html`<details class="sample"${isOpen && html` open`}><summary>${title}</summary>${content}</details>`

/** The section of an operation: description, access, parameters, body, reply and samples. */
function operationSection(context: ReferenceContext, call: OperationCall): Html {
  const { path, method, operation } = call
  const id = operationAnchor(operation)
  return pageSection({
    id,
    gutter: html`<b class="method">${method.toUpperCase()}</b>`,
    heading: html`<h3><a href="#${id}">${operation.summary}</a></h3>`,
    text: [
      html`<p class="in path"><code>${pathWithBreaks(path)}</code></p>`,
      new MarkdownRenderer('').renderReference(operationText(context, call), operation.summary),
    ],
    aside: examples(context, call),
  })
}

/** Allows line breaks after each slash of a path. */
const pathWithBreaks = (path: string) =>
  html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}`

/** Tags that share the section of another one: deliveries end with their webhook. */
const SECTION_OF_TAG: Readonly<Record<string, string>> = { Deliveries: 'Webhooks' }

/** The page at `/docs`: the list of guides, then each resource with its records and operations. */
export async function referencePage(openapi: OpenApiDocument): Promise<string> {
  const baseUrl = openapi.servers?.[0]?.url ?? ''
  const context = createReferenceContext(openapi)
  const resources = createResources(openapi)
  const sections: Html[] = []
  for (const resource of resources) {
    sections.push(resourceHead(resource))
    for (const name of resource.records) sections.push(recordSection(context, name))
    for (const call of resource.calls) {
      await giveWay()
      sections.push(operationSection(context, call))
    }
  }
  return docsPage({
    title: 'Docket docs: guides and API reference',
    heading: 'Docket docs',
    gutter: openapi.info.version,
    summary: html`<code>${baseUrl}</code>`,
    groups: [...guideLinks(), ...resources.map(resourceLinks)],
    content: [...guideIndex(), setUpSection(baseUrl), ...sections],
  })
}

/** The page of one operation, for readers and programs that need no other. */
export function operationPage(openapi: OpenApiDocument, call: OperationCall): string {
  const section = operationSection(createReferenceContext(openapi), call)
  const page = docsPage({
    title: `${call.operation.summary} – Docket API reference`,
    heading: call.operation.summary,
    alternate: `${operationPath(call)}.md`,
    groups: [...createResources(openapi).map(resourceLinks), ...guideLinks()],
    content: section,
  })
  // Records and other operations are on the page of all.
  return page.replaceAll('href="#', 'href="/docs#').replace('href="/docs#main"', 'href="#main"')
}

/** The address of the page of an operation. */
export const operationPath = ({ operation }: OperationCall) =>
  `/docs/operations/${operation.operationId}`

/** A section of the reference: what it is about, its records and its operations. */
interface Resource {
  readonly title: string
  readonly description: string
  readonly records: readonly string[]
  readonly calls: readonly OperationCall[]
}

/** Groups the operations into the sections of the page. Those without a place come last. */
function createResources(openapi: OpenApiDocument): Resource[] {
  const recordsByTag = groupRecordsByTag(openapi)
  const descriptions = new Map(openapi.tags?.map(({ name, description }) => [name, description]))
  const calls = listCalls(openapi).toSorted((one, other) => rankOf(one) - rankOf(other))
  const groups = Map.groupBy(calls, (call) => SECTION_OF_TAG[tagOf(call)] ?? tagOf(call))
  return [...groups].map(([title, groupCalls]) => {
    const tags = [...new Set(groupCalls.map(tagOf))]
    return {
      title: title.charAt(0).toUpperCase() + title.slice(1),
      description: joinBlocks(tags.map((tag) => descriptions.get(tag))),
      records: tags.flatMap((tag) => recordsByTag.get(tag) ?? []),
      calls: groupCalls,
    }
  })
}

/**
 * The samples of the page are pasted one after another: what gives the id that others use comes first, what
 * deletes a record after all else, and what restores it last.
 */
function rankOf({ method, path, operation }: OperationCall): number {
  if (storedVariable(operation.operationId)) return 0
  if (method === 'delete') return 2
  return path.endsWith('/restore') ? 3 : 1
}

const tagOf = ({ operation }: OperationCall): string => operation.tags[0] ?? ''

function resourceHead(resource: Resource): Html {
  const { title, description, calls } = resource
  const id = groupAnchor(resource)
  return pageSection({
    id,
    gutter: String(calls.length),
    heading: html`<h2><a href="#${id}">${title}</a></h2>`,
    text: new MarkdownRenderer('').renderReference(description, title),
  })
}

function recordSection(context: ReferenceContext, name: string): Html {
  const schema = context.openapi.components?.schemas?.[name] ?? {}
  const text = joinBlocks([schema.description, fieldTable(context, schema, false)])
  return pageSection({
    id: recordAnchor(name),
    gutter: 'record',
    heading: html`<h3><a href="#${recordAnchor(name)}">${name}</a></h3>`,
    text: new MarkdownRenderer('').renderReference(text, name),
  })
}

const resourceLinks = (resource: Resource): SidebarGroup => ({
  title: resource.title,
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

const groupAnchor = ({ title }: Resource) =>
  `tag-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

/** The head of the reference: what a reader needs before the first sample works. */
function setUpSection(baseUrl: string): Html {
  return pageSection({
    id: 'reference',
    heading: html`<h2><a href="#reference">API reference</a></h2>`,
    text: proseBlock([
      html`<p>Every endpoint with its parameters, fields, reply and samples. It is made from the schemas that check your requests. The <a href="/docs/guides/authentication#scopes">scope</a> and the <a href="/docs/guides/permissions#roles">roles</a> of an endpoint tell which credentials of which people may call it, and <a href="/docs/errors">error codes</a> what can go wrong.</p>`,
      html`<p><b>Before you run a sample:</b> create an API key in the app under <a href="/start">Settings → Integrations</a>, and set <code>DOCKET_URL</code> and <code>DOCKET_KEY</code> in your terminal. The first start of Docket prints a key of the demo workspace.</p>`,
      html`<p>The samples follow one another: run from the top to the bottom of this page, all of them work in a new demo workspace. Those with curl also set the variables of later samples, such as <code>PROJECT_ID</code>. Those with <a href="/docs/packages">docket-client</a> read the same variables from the environment: run them with <code>node sample.mjs</code>.</p>`,
    ]),
    aside: codeBlock(
      `export DOCKET_URL="${baseUrl}"\nexport DOCKET_KEY="dkt_…"`,
      'Set up your terminal',
    ),
  })
}
