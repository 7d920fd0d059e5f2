import { EXAMPLE_BASE_URL } from '../../openapi/recorded-examples.ts'
import { ERROR_CODES } from '../errors/error-codes.ts'
import { guideIndex, guideLinks } from '../guides/guides.ts'
import {
  codeBlock,
  type DefinitionRow,
  definitionList,
  type Html,
  html,
  joinHtml,
  pageSection,
  pageShell,
  proseBlock,
  rawHtml,
  renderInline,
  renderParagraphs,
  type SidebarGroup,
  sidebar,
  subheading,
} from '../html/html.ts'
import {
  findRecordResponse,
  groupRecordsByTag,
  listOperations,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  type OpenApiSchema,
  type OperationCall,
} from '../openapi/operations.ts'
import { createReferenceContext, type ReferenceContext } from '../openapi/reference-context.ts'
import {
  describeQueryParameter,
  describeSchema,
  listSchemaFields,
  operationAnchor,
  propertiesOf,
  recordAnchor,
  resolveInline,
  type SchemaField,
} from '../openapi/schema-description.ts'
import { createSampleRequest, findExample, SAMPLE_LANGUAGES } from '../samples/samples.ts'

/** The table of an object's fields. Marks required fields only in bodies that clients write. */
export function fieldTable(
  context: ReferenceContext,
  schema: OpenApiSchema,
  options: { written: boolean },
): Html {
  const fieldRows = listSchemaFields(context, schema).map((field) =>
    fieldRow(context, { ...field, required: options.written && field.required }),
  )
  return definitionList(fieldRows)
}

/** The row of a field. Fields that are required only within another field are not bold. */
function fieldRow(
  context: ReferenceContext,
  { name, required, schema }: SchemaField,
): DefinitionRow {
  const { description } = resolveInline(context, schema)
  const isNested = name.includes('.')
  return {
    gutter: required && (isNested ? 'required' : html`<b>required</b>`),
    name: html`<code>${withBreaks(name)}</code>`,
    text: html`<span class="kind">${describeSchema(schema, context)}</span>${
      description && html`<span class="say">${renderInline(description)}</span>`
    }`,
  }
}

/** Allows line breaks within a path such as `operations[op=create].data`. */
const withBreaks = (path: string): Html =>
  html`${path.split(/(?=[.[])/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}`

/** Shows successes; errors are collapsed, because most of them are those of all operations. */
export function operationReplies(context: ReferenceContext, operation: OpenApiOperation): Html {
  const responses = Object.entries(operation.responses)
  const successes = responses.filter(([status]) => /^[23]/.test(status))
  const errors = responses.filter(([status]) => /^[45]/.test(status))
  const table = successes.map(([status, reply]) => ({
    gutter: html`<b class="good">${status}</b>`,
    name: renderInline(reply.description),
    text: html`${renderContent(context, reply.content)}${renderHeaders(reply.headers)}`,
  }))
  return html`${subheading('Replies')}${definitionList(table)}${
    errors.length > 0 && renderErrors(errors)
  }`
}

function renderErrors(errors: [status: string, reply: OpenApiResponse][]): Html {
  const rows = errors.map(([status, { description }]) => {
    const [meaning = '', codes] = description.split(/ Codes: (?=`)/)
    return {
      gutter: status,
      name: renderInline(meaning),
      text: html`${codes && renderCodes(codes)}`,
    }
  })
  const statuses = errors.map(([status]) => status).join(' ')
  return html`<details class="refusals"><summary><span class="gut">else</span><span>Errors ${statuses}</span></summary>${definitionList(rows)}</details>`
}

const EXPLAINED_CODES: ReadonlySet<string> = new Set(ERROR_CODES.map(({ code }) => code))

/** Links the codes of a list such as "`not_found`, `gone`." to their explanations. */
function renderCodes(list: string): Html {
  const codes = [...list.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) =>
    EXPLAINED_CODES.has(code)
      ? html`<a href="/docs/errors#${code}"><code>${code}</code></a>`
      : html`<code>${code}</code>`,
  )
  return joinHtml(codes, ', ')
}

function renderContent(context: ReferenceContext, content: OpenApiResponse['content']): Html {
  const response = findRecordResponse(context.openapi, content)
  if (!response) {
    const schema = content?.['application/json']?.schema
    if (schema?.properties) return joinNames(Object.keys(schema.properties))
    const types = Object.keys(content ?? {})
    return types.length === 0 ? html`no body` : html`${types.join(', ')}`
  }
  const { record, page } = response
  const recordLink = context.isRecord(record)
    ? html`<a href="#${recordAnchor(record)}">${record}</a>`
    : html`${record}`
  return page ? html`<a href="/docs/guides/lists">page</a> of ${recordLink}` : recordLink
}

const joinNames = (names: string[]) =>
  joinHtml(
    names.map((name) => html`<code>${name}</code>`),
    ', ',
  )

/** Headers that every reply has are explained in a guide. */
const COMMON_HEADERS = /^X-(?:RateLimit-|Request-Id)/

function renderHeaders(headers: OpenApiResponse['headers'] = {}): Html {
  const own = Object.entries(headers).filter(([name]) => !COMMON_HEADERS.test(name))
  return html`${own.map(
    ([name, { description }]) =>
      html`<span class="say"><code>${name}</code>: ${description && renderInline(description)}</span>`,
  )}`
}

/**
 * The request of an operation in each language. Without JavaScript the languages are a list of
 * which the first one is open; the script of the page makes tabs of it.
 */
function sampleTabs(call: OperationCall): Html {
  const request = createSampleRequest(call)
  if (!request) return html``
  const { operationId } = call.operation
  return html`<div class="samples" id="samples-${operationId}" aria-label="Language">${SAMPLE_LANGUAGES.map(
    ({ id, name, write }, at) =>
      html`<details data-language="${id}"${at === 0 && html` open`}><summary>${name}</summary>${codeBlock(
        write(request),
        `${operationId} in ${name}`,
      )}</details>`,
  )}</div>`
}

/** The section of an operation: description, access, parameters, body, replies and samples. */
export function operationSection(context: ReferenceContext, call: OperationCall): Html {
  const { path, method, operation } = call
  const { summary } = operation
  return pageSection({
    id: operationAnchor(operation),
    gutter: html`<b class="method">${method.toUpperCase()}</b>`,
    heading: html`<h3><a href="#${operationAnchor(operation)}">${summary}</a></h3>`,
    text: [
      html`<p class="in path"><code>${pathWithBreaks(path)}</code></p>`,
      html`<div class="in prose">${renderDescription(operation)}${renderAccess(operation)}</div>`,
      ...renderParameters(context, operation),
      renderBody(context, operation),
      operationReplies(context, operation),
      requestForm(call),
    ],
    aside: [sampleTabs(call), replyExample(context, call)],
  })
}

/** Allows line breaks after each slash of a path. */
const pathWithBreaks = (path: string) =>
  html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}`

/** The document repeats the roles at the end of the description. */
function renderDescription({ description = '', 'x-roles': roles }: OpenApiOperation): Html {
  const text = roles === undefined ? description : description.replace(`Roles: ${roles}`, '').trim()
  return html`${text !== '' && renderParagraphs(text)}`
}

function renderAccess({
  security,
  'x-scope': scope,
  'x-roles': roles = 'All.',
}: OpenApiOperation): Html {
  if (security?.length === 0) return html`<p class="scope">No credential needed</p>`
  const needed = scope === undefined || scope === 'any' ? html`any` : html`<code>${scope}</code>`
  return html`<p class="scope"><span>Scope: ${needed}</span> <span>Roles: ${renderInline(lowerFirst(roles))}</span></p>`
}

/** A sentence as the continuation of a line, without its full stop if it is the only one. */
function lowerFirst(sentence: string): string {
  const text = sentence.charAt(0).toLowerCase() + sentence.slice(1)
  return text.indexOf('.') === text.length - 1 ? text.slice(0, -1) : text
}

function renderParameters(
  context: ReferenceContext,
  { parameters = [] }: OpenApiOperation,
): (Html | '')[] {
  const places = [
    ['path', 'Path'],
    ['query', 'Query parameters'],
    ['header', 'Request headers'],
  ] as const
  return places.map(([place, title]) => {
    const list = parameters.filter((parameter) => parameter.in === place)
    if (list.length === 0) return ''
    const table = list.map(({ name, required, schema, description = schema.description }) => ({
      gutter: required && place !== 'path' && html`<b>required</b>`,
      name: html`<code>${name}</code>`,
      text: html`<span class="kind">${describeQueryParameter(schema, context)}</span>${
        description && html`<span class="say">${renderInline(description)}</span>`
      }`,
    }))
    return html`${subheading(title)}${definitionList(table)}`
  })
}

function renderBody(context: ReferenceContext, { requestBody }: OpenApiOperation): Html | '' {
  if (!requestBody) return ''
  const json = requestBody.content['application/json']?.schema
  if (!json) {
    const types = Object.keys(requestBody.content).map((type) => html`<code>${type}</code>`)
    return html`${subheading('Body')}${proseBlock(html`<p>${joinHtml(types, ' or ')}</p>`)}`
  }
  if (Object.keys(propertiesOf(context.openapi, json)).length === 0) return ''
  const title = requestBody.required === false ? 'Body, optional' : 'Body'
  return html`${subheading(title)}${fieldTable(context, json, { written: true })}`
}

/**
 * The button that opens the form of an operation. Its script creates the form when it is first
 * opened, from the OpenAPI document: forms for all operations would be most of the page.
 */
const requestForm = ({ operation: { operationId, summary } }: OperationCall): Html =>
  html`<div class="in try"><button class="btn" type="button" data-operation="${operationId}" aria-expanded="false" aria-label="Try it: ${summary}">Try it</button></div>`

/** A longer reply is opened by the reader: most of the page would be replies otherwise. */
const MAX_OPEN_LINES = 30

/** A recorded reply: its status, the headers that belong to the operation, and its body. */
function replyExample({ openapi }: ReferenceContext, call: OperationCall): Html {
  const example = findExample(call)
  if (!example) return html``
  const { status, headers, body } = example.response
  const lines = [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers)
      .filter(([name]) => !COMMON_HEADERS.test(name))
      .map(([name, value]) => `${name}: ${value}`),
  ]
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  const shown = (body === undefined ? lines : [...lines, '', text])
    .join('\n')
    .replaceAll(EXAMPLE_BASE_URL, openapi.servers?.[0]?.url ?? EXAMPLE_BASE_URL)
  const isShort = shown.split('\n').length <= MAX_OPEN_LINES
  return html`<details class="reply"${isShort && html` open`}><summary>Example reply <b>${status}</b></summary>${codeBlock(
    shown,
    `Reply of ${call.operation.operationId}`,
  )}</details>`
}

/**
 * The operations in the order of the page. Its samples are pasted one after another, so what
 * creates a record comes before what needs it, and what deletes it comes last.
 */
export const OPERATION_ORDER: readonly string[] = [
  'getMe',
  'listMembers',
  'listProjects',
  'getProject',
  'listProjectTags',
  'createTag',
  'getTag',
  'updateTag',
  'bulkTags',
  'deleteTag',
  'listProjectTasks',
  'listTasks',
  'createTask',
  'getTask',
  'updateTask',
  'completeTask',
  'deleteTask',
  'restoreTask',
  'bulkTasks',
  'listComments',
  'listTaskComments',
  'createComment',
  'getComment',
  'updateComment',
  'bulkComments',
  'deleteComment',
  'listTimeEntries',
  'listTaskTimeEntries',
  'createTimeEntry',
  'getTimeEntry',
  'updateTimeEntry',
  'bulkTimeEntries',
  'deleteTimeEntry',
  'getTimeReport',
  'listTaskAttachments',
  'uploadAttachment',
  'getAttachment',
  'downloadAttachment',
  'deleteAttachment',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'listWebhookDeliveries',
  'getDelivery',
  'redeliver',
  'replayEvents',
  'deleteWebhook',
  'listEvents',
  'getEventPosition',
  'listChanges',
]

/** Tags that share the section of another one: deliveries end with their webhook. */
const SECTION_OF_TAG: Readonly<Record<string, string>> = { Deliveries: 'Webhooks' }

/** A section of the page, with the tags that it shows. */
export interface PageGroup {
  readonly title: string
  readonly tags: readonly string[]
  readonly calls: readonly OperationCall[]
}

/** Groups the operations into the sections of the page. Those without a place come last. */
export function groupOperations(openapi: OpenApiDocument): PageGroup[] {
  const calls = listOperations(openapi)
    .map((call, at) => ({ call, place: placeOf(call), at }))
    .sort((a, b) => a.place - b.place || a.at - b.at)
    .map(({ call }) => call)
  const groups = Map.groupBy(calls, (call) => SECTION_OF_TAG[tagOf(call)] ?? tagOf(call))
  return [...groups].map(([title, groupCalls]) => ({
    title,
    calls: groupCalls,
    tags: [...new Set(groupCalls.map(tagOf))],
  }))
}

function placeOf({ operation }: OperationCall): number {
  const place = OPERATION_ORDER.indexOf(operation.operationId)
  return place === -1 ? OPERATION_ORDER.length : place
}

const tagOf = ({ operation }: OperationCall): string => operation.tags[0] ?? ''

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
    { href: '/docs/packages', text: 'Packages' },
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
      html`<p><b>Before you run a sample:</b> create an API key in the app under <a href="/start">Settings → Integrations</a>, and set <code>DOCKET_URL</code> and <code>DOCKET_KEY</code> in your terminal. The first start of Docket prints a key of the demo workspace.</p>`,
      html`<p>The samples follow one another: run from the top to the bottom of this page, all of them work in a new demo workspace. Those in curl also set the variables of later samples, such as <code>PROJECT_ID</code>. The other languages read the same variables from the environment and print the reply.</p>`,
      html`<p>TypeScript runs with <code>node sample.ts</code> (Node.js 22.18 or later), Python with <code>python3 sample.py</code>, Go with <code>go run sample.go</code>. None needs a package.</p>`,
    ]),
    aside: codeBlock(setUpCommands(baseUrl), 'Set up your terminal'),
  })
}

const setUpCommands = (baseUrl: string) => `export DOCKET_URL="${baseUrl}"
export DOCKET_KEY="dkt_…"`
