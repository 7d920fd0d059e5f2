import { code } from './code.ts'
import { curlOf } from './curl.ts'
import type { OpenApiDocument, Operation } from './document.ts'
import { band, entry, prose, rows } from './entry.ts'
import { fieldTable } from './fields.ts'
import { type Html, html, joined, line, paragraphs } from './html.ts'
import { answerOf, type Call } from './records.ts'
import { propertiesOf } from './schema.ts'
import { inWordsOfQuery, recordAnchor } from './words.ts'

type IsRecord = (name: string) => boolean

/** The section of one operation: what it does, what it takes, what it answers, how to call it. */
export function operationSection(openapi: OpenApiDocument, call: Call, isRecord: IsRecord): Html {
  const { path, method, operation } = call
  const { summary, description } = operation
  return entry({
    id: operationAnchor(operation),
    gutter: html`<b class="method">${method.toUpperCase()}</b>`,
    heading: html`<h3><a href="#${operationAnchor(operation)}">${summary}</a></h3>`,
    text: [
      html`<p class="in path"><code>${withBreaks(path)}</code></p>`,
      html`<div class="in prose">${description && paragraphs(description)}${access(operation)}</div>`,
      ...parameters(operation, isRecord),
      body(openapi, operation, isRecord),
      replies(openapi, operation, isRecord),
    ],
    aside: code(
      curlOf(openapi, path, method, operation),
      `Call ${operation.operationId} with curl`,
    ),
  })
}

/** Where an operation's section stands in the reference. */
export const operationAnchor = ({ operationId }: Operation) => `op-${operationId}`

/** A path that may be broken after each of its slashes. */
const withBreaks = (path: string) =>
  html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}`

function access({ security, 'x-scope': scope }: Operation): Html {
  if (security?.length === 0) return html`<p class="scope">No credential needed</p>`
  if (!scope || scope === 'any') return html`<p class="scope">Any credential</p>`
  return html`<p class="scope">Scope <code>${scope}</code></p>`
}

function parameters({ parameters = [] }: Operation, isRecord: IsRecord): (Html | '')[] {
  const places = [
    ['path', 'Path'],
    ['query', 'Query parameters'],
    ['header', 'Headers'],
  ] as const
  return places.map(([place, title]) => {
    const list = parameters.filter((parameter) => parameter.in === place)
    if (list.length === 0) return ''
    const table = list.map(({ name, required, schema, description = schema.description }) => ({
      gutter: required && place !== 'path' && html`<b>required</b>`,
      name: html`<code>${name}</code>`,
      text: html`<span class="kind">${inWordsOfQuery(schema, isRecord)}</span>${
        description && html`<span class="say">${line(description)}</span>`
      }`,
    }))
    return html`${band(title)}${rows(table)}`
  })
}

function body(openapi: OpenApiDocument, { requestBody }: Operation, isRecord: IsRecord): Html | '' {
  if (!requestBody) return ''
  const json = requestBody.content['application/json']?.schema
  if (!json) {
    const types = Object.keys(requestBody.content).map((type) => html`<code>${type}</code>`)
    return html`${band('Body')}${prose(html`<p>${joined(types, ' or ')}</p>`)}`
  }
  if (Object.keys(propertiesOf(openapi, json)).length === 0) return ''
  const title = requestBody.required === false ? 'Body, optional' : 'Body'
  return html`${band(title)}${fieldTable(openapi, json, { isRecord, written: true })}`
}

/** Successes stand open; refusals are folded, because they are much the same everywhere. */
function replies(openapi: OpenApiDocument, operation: Operation, isRecord: IsRecord): Html {
  const all = Object.entries(operation.responses)
  const good = all.filter(([status]) => /^[23]/.test(status))
  const refused = all.filter(([status]) => !/^[23]/.test(status))
  const table = good.map(([status, reply]) => ({
    gutter: html`<b class="good">${status}</b>`,
    name: line(reply.description),
    text: html`${answer(openapi, reply.content, isRecord)}${headersOf(reply.headers)}`,
  }))
  return html`${band('Replies')}${rows(table)}${
    refused.length > 0 &&
    html`<details class="refusals"><summary><span class="gut">else</span><span>${refused
      .map(([status]) => status)
      .join(' ')}</span></summary>${rows(
      refused.map(([status, { description }]) => ({
        gutter: status,
        name: line(description),
        text: html``,
      })),
    )}</details>`
  }`
}

function answer(
  openapi: OpenApiDocument,
  content: Operation['responses'][string]['content'],
  isRecord: IsRecord,
) {
  const found = answerOf(openapi, content)
  if (!found) {
    const schema = content?.['application/json']?.schema
    if (schema?.properties) return fieldNames(Object.keys(schema.properties))
    const types = Object.keys(content ?? {})
    return types.length === 0 ? html`no body` : html`${types.join(', ')}`
  }
  const { record, page } = found
  const named = isRecord(record) ? html`<a href="#${recordAnchor(record)}">${record}</a>` : record
  return page ? html`<a href="#lists">page</a> of ${named}` : html`${named}`
}

const fieldNames = (names: string[]) =>
  joined(
    names.map((name) => html`<code>${name}</code>`),
    ', ',
  )

function headersOf(headers: Operation['responses'][string]['headers'] = {}): Html | '' {
  const names = Object.keys(headers)
  return names.length > 0 ? html`<span class="say">with ${fieldNames(names)}</span>` : ''
}
