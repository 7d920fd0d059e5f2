import { ERROR_CODES } from '../errors/error-codes.ts'
import { type Html, html, joinHtml, renderInline } from '../html/html.ts'
import { definitionList, subheading } from '../html/page-section.ts'
import type { OpenApiOperation, OpenApiResponse } from '../openapi/openapi-types.ts'
import { findRecordResponse } from '../openapi/operations.ts'
import type { ReferenceContext } from '../openapi/reference-context.ts'
import { recordAnchor } from '../openapi/schema-description.ts'

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
