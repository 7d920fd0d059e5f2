import { EXAMPLE_BASE_URL } from '../../openapi/recorded-examples.ts'
import { codeBlock } from '../html/code-block.ts'
import { type Html, html, joinHtml, renderInline, renderParagraphs } from '../html/html.ts'
import { definitionList, pageSection, proseBlock, subheading } from '../html/page-section.ts'
import type { OpenApiOperation } from '../openapi/openapi-types.ts'
import type { OperationCall } from '../openapi/operations.ts'
import type { ReferenceContext } from '../openapi/reference-context.ts'
import { describeQueryParameter, operationAnchor } from '../openapi/schema-description.ts'
import { propertiesOf } from '../openapi/schema-fields.ts'
import { findExample } from '../samples/find-example.ts'
import { SAMPLE_LANGUAGES } from '../samples/sample-languages.ts'
import { createSampleRequest } from '../samples/sample-request.ts'
import { fieldTable } from './field-table.ts'
import { operationReplies } from './operation-replies.ts'

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
      html`<p class="in path"><code>${withBreaks(path)}</code></p>`,
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
const withBreaks = (path: string) =>
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

/** Headers of every reply, which say nothing about the operation. */
const COMMON_HEADERS = /^X-(?:RateLimit-|Request-Id)/

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
