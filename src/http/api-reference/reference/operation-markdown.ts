import type {
  OpenApiOperation,
  OpenApiResponse,
  OpenApiSchema,
  OperationCall,
} from '../../openapi/document-types.ts'
import { EXAMPLE_BASE_URL } from '../../openapi/recorded-examples.ts'
import { createSampleRequest, findExample, writeSamples } from '../samples/samples.ts'
import { findRecordResponse, type ReferenceContext } from './records.ts'
import {
  describeQueryParameter,
  describeSchema,
  listSchemaFields,
  propertiesOf,
  recordAnchor,
  resolveInline,
} from './schema-words.ts'

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query parameters'],
  ['header', 'Request headers'],
] as const

/** What the reference says of an operation, in Markdown below the heading with its summary. */
export function operationText(context: ReferenceContext, { operation }: OperationCall): string {
  const { parameters = [], description = '', 'x-roles': roles } = operation
  // The document repeats the roles at the end of the description.
  const text = roles === undefined ? description : description.replace(`Roles: ${roles}`, '').trim()
  return joinBlocks([
    text,
    access(operation),
    ...PLACES.map(([place, title]) =>
      section(
        title,
        table(
          ['Name', 'Value', 'Meaning'],
          parameters
            .filter((one) => one.in === place)
            .map(({ name, required, schema, description = schema.description }) => [
              `\`${name}\`${required && place !== 'path' ? ' (required)' : ''}`,
              describeQueryParameter(schema, context),
              description ?? '',
            ]),
        ),
      ),
    ),
    body(context, operation),
    section('Reply', replies(context, operation)),
  ])
}

/** The fields of an object as a table. Marks required fields only in bodies that clients write. */
export const fieldTable = (
  context: ReferenceContext,
  schema: OpenApiSchema,
  isWritten: boolean,
): string =>
  table(
    ['Field', 'Value', 'Meaning'],
    listSchemaFields(context, schema).map(({ name, required, schema: field }) => [
      `\`${name}\`${isWritten && required ? ' (required)' : ''}`,
      describeSchema(field, context),
      resolveInline(context, field).description ?? '',
    ]),
  )

/** The page of an operation for readers without a browser. */
export function operationMarkdown(context: ReferenceContext, call: OperationCall): string {
  const { method, path, operation } = call
  const [request, reply] = [createSampleRequest(call), exampleReply(context, call)]
  const samples = request ? writeSamples(call, request) : []
  const example = [
    ...samples.map(({ language, text }) => `\`\`\`${language}\n${text}\n\`\`\``),
    reply && `\`\`\`http\n${reply.text}\n\`\`\``,
  ]
  return joinBlocks([
    `# ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    operationText(context, call).replaceAll('](#', '](/docs#'),
    recordOf(context, operation),
    section('Example', joinBlocks(example)),
  ]).concat('\n')
}

/** Headers that every reply has are explained in a guide. */
const COMMON_HEADERS = /^X-(?:RateLimit-|Request-Id)/

/** A recorded reply: its status, the headers that belong to the operation, and its body. */
export function exampleReply({ openapi }: ReferenceContext, call: OperationCall) {
  const example = findExample(call)
  if (!example) return undefined
  const { status, headers, body } = example.response
  const lines = [
    `HTTP/1.1 ${status}`,
    ...Object.entries(headers)
      .filter(([name]) => !COMMON_HEADERS.test(name))
      .map(([name, value]) => `${name}: ${value}`),
  ]
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  const shown = (body === undefined ? lines : [...lines, '', text]).join('\n')
  const baseUrl = openapi.servers?.[0]?.url ?? EXAMPLE_BASE_URL
  return { status, text: shown.replaceAll(EXAMPLE_BASE_URL, baseUrl) }
}

/** Blocks of Markdown, without those that have nothing to say. */
export const joinBlocks = (blocks: readonly (string | undefined)[]): string =>
  blocks.filter((block) => block).join('\n\n')

function access({
  security,
  'x-scope': scope = 'any',
  'x-roles': roles = 'All.',
}: OpenApiOperation) {
  if (security?.length === 0) return 'No credential needed.'
  return `Scope: ${scope === 'any' ? 'any' : `\`${scope}\``}. Roles: ${roles.charAt(0).toLowerCase()}${roles.slice(1)}`
}

function body(context: ReferenceContext, { requestBody }: OpenApiOperation): string {
  if (!requestBody) return ''
  const json = requestBody.content['application/json']?.schema
  if (!json) {
    const types = Object.keys(requestBody.content).map((type) => `\`${type}\``)
    return section('Body', types.join(' or '))
  }
  if (Object.keys(propertiesOf(context.openapi, json)).length === 0) return ''
  const title = requestBody.required === false ? 'Body, optional' : 'Body'
  return section(title, fieldTable(context, json, true))
}

const successesOf = ({ responses }: OpenApiOperation) =>
  Object.entries(responses).filter(([status]) => /^[23]/.test(status))

function replies(context: ReferenceContext, operation: OpenApiOperation): string {
  const rows = successesOf(operation).map(([status, { description, content, headers = {} }]) => {
    const own = Object.entries(headers).filter(([name]) => !COMMON_HEADERS.test(name))
    const words = own.map(([name, header]) => `\`${name}\`: ${header.description ?? ''}`)
    return [`\`${status}\``, describeContent(context, content), [description, ...words].join(' ')]
  })
  return `${table(['Status', 'Content', 'Meaning'], rows)}\n\nErrors: see [error codes](/docs/errors).`
}

function describeContent(context: ReferenceContext, content: OpenApiResponse['content']): string {
  const response = findRecordResponse(context.openapi, content)
  if (!response) {
    const { properties } = content?.['application/json']?.schema ?? {}
    if (properties)
      return Object.keys(properties)
        .map((name) => `\`${name}\``)
        .join(', ')
    return Object.keys(content ?? {}).join(', ') || 'no body'
  }
  const { record, page } = response
  const link = context.isRecord(record) ? `[${record}](#${recordAnchor(record)})` : record
  return page ? `[page](/docs/guides/lists) of ${link}` : link
}

/** The fields of the record in the reply, which the reference lists in a section of its own. */
function recordOf(context: ReferenceContext, operation: OpenApiOperation): string {
  const [response] = successesOf(operation).flatMap(
    ([, { content }]) => findRecordResponse(context.openapi, content) ?? [],
  )
  const schema = response && context.openapi.components?.schemas?.[response.record]
  if (!schema) return ''
  const fields = fieldTable(context, schema, false).replaceAll('](#', '](/docs#')
  return section(response.record, fields)
}

/** A section, or nothing where there is nothing to say. */
const section = (title: string, text: string) => (text === '' ? '' : `## ${title}\n\n${text}`)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
