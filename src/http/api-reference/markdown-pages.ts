import { EXAMPLE_BASE_URL } from '../openapi/recorded-examples.ts'
import { ERROR_CODES, FIELD_ERROR_CODES } from './errors/error-codes.ts'
import { GUIDE_GROUPS, type GuideFile, guidePath } from './guides/guide-files.ts'
import type { Html } from './html/html.ts'
import {
  findRecordResponse,
  listOperations,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiSchema,
  type OperationCall,
} from './openapi/operations.ts'
import type { ReferenceContext } from './openapi/reference-context.ts'
import {
  describeQueryParameter,
  describeSchema,
  listSchemaFields,
  resolveInline,
} from './openapi/schema-description.ts'
import { operationPath } from './reference/reference-page.ts'
import { createSampleRequest, findExample, writeCurlSample } from './samples/samples.ts'

/** The docs for readers without a browser: the pages as Markdown, and their index (llmstxt.org). */
export function llmsText(openapi: OpenApiDocument, baseUrl: string): string {
  const link = (text: string, path: string, more: string) =>
    `- [${text}](${baseUrl}${path}): ${more}`
  const guides = GUIDE_GROUPS.flatMap((group) => [
    `\n## ${group.title}\n`,
    ...group.guides.map(({ slug, title, summary }) =>
      link(title, `${guidePath(slug)}.md`, summary),
    ),
  ])
  const operations = listOperations(openapi).map((call) =>
    link(
      call.operation.summary,
      `${operationPath(call)}.md`,
      `\`${call.method.toUpperCase()} ${call.path}\``,
    ),
  )
  return [
    `# Docket API\n\n> ${openapi.info.summary ?? openapi.info.title}\n`,
    `Requests go to \`${baseUrl}/api/v1\` with \`Authorization: Bearer <API key>\`.`,
    ...guides,
    '\n## Operations\n',
    ...operations,
    '\n## More\n',
    link('Error codes', '/docs/errors.md', 'what each `error.code` means and how to fix it'),
    link('Packages', '/docs/packages', 'client library, command line and conformance kit for npm'),
    link('OpenAPI document', '/api/v1/openapi.json', 'every operation and schema, in OpenAPI 3.1'),
    '',
  ].join('\n')
}

/** A guide with the addresses of this installation. */
export const guideMarkdown = ({ markdown }: GuideFile, baseUrl: string): string =>
  markdown.replaceAll('{{base_url}}', baseUrl)

/** The page of the error codes. */
export function errorsMarkdown(): string {
  const statuses = [...Map.groupBy(ERROR_CODES, ({ status }) => status)]
  return [
    '# Error codes\n\nWhat each `error.code` means and how to fix it. Handle errors by their `code`.',
    ...statuses.map(([status, codes]) =>
      section(
        `Status ${status}`,
        table(
          ['code', 'meaning', 'what to do'],
          codes.map(({ code, meaning, remedy }) => [`\`${code}\``, meaning, remedy]),
        ),
      ),
    ),
    section(
      'Field errors in `details`',
      table(
        ['code', 'meaning', 'what to do'],
        Object.entries(FIELD_ERROR_CODES).map(([code, [meaning, remedy]]) => [
          `\`${code}\``,
          meaning,
          remedy,
        ]),
      ),
    ),
    '',
  ].join('\n\n')
}

/** One operation: access, parameters, body, replies and a recorded example. */
export function operationMarkdown(context: ReferenceContext, call: OperationCall): string {
  const { method, path, operation } = call
  const { summary, description = '', parameters = [] } = operation
  const places = [
    ['path', 'Path'],
    ['query', 'Query parameters'],
    ['header', 'Request headers'],
  ] as const
  return [
    `# ${summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    description,
    access(operation),
    ...places.map(([place, title]) =>
      section(
        title,
        table(
          ['name', 'value', 'meaning'],
          parameters
            .filter((one) => one.in === place)
            .map(({ name, required, schema, description = schema.description }) => [
              `\`${name}\`${required && place !== 'path' ? ' (required)' : ''}`,
              toMarkdown(describeQueryParameter(schema, context)),
              description ?? '',
            ]),
        ),
      ),
    ),
    body(context, operation),
    section('Replies', replies(context, operation)),
    example(context, call),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function access({ security, 'x-scope': scope = 'any' }: OpenApiOperation): string {
  if (security?.length === 0) return 'No credential needed.'
  return scope === 'any' ? 'Any scope.' : `Scope: \`${scope}\`.`
}

function body(context: ReferenceContext, { requestBody }: OpenApiOperation): string {
  if (!requestBody) return ''
  const json = requestBody.content['application/json']?.schema
  if (!json) return section('Body', Object.keys(requestBody.content).map(code).join(' or '))
  return section('Body', fields(context, json, true))
}

const fields = (context: ReferenceContext, schema: OpenApiSchema, isWritten: boolean): string =>
  table(
    ['field', 'value', 'meaning'],
    listSchemaFields(context, schema).map(({ name, required, schema: field }) => [
      `\`${name}\`${isWritten && required ? ' (required)' : ''}`,
      toMarkdown(describeSchema(field, context)),
      resolveInline(context, field).description ?? '',
    ]),
  )

function replies(context: ReferenceContext, { responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).map(
    ([status, { description }]) => `- ${status}: ${description}`,
  )
  const record = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => findRecordResponse(context.openapi, content))
    .find((one) => one !== undefined)
  const schema = record && context.openapi.components?.schemas?.[record.record]
  if (!schema) return rows.join('\n')
  const title = record.page
    ? `Each record of \`data\` is a ${record.record}`
    : `A ${record.record} has`
  return `${rows.join('\n')}\n\n${title}:\n\n${fields(context, schema, false)}`
}

function example({ openapi }: ReferenceContext, call: OperationCall): string {
  const [recorded, request] = [findExample(call), createSampleRequest(call)]
  if (!recorded || !request) return ''
  const { status, body: reply } = recorded.response
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply, null, 2)
  const shown = text?.replaceAll(EXAMPLE_BASE_URL, openapi.servers?.[0]?.url ?? EXAMPLE_BASE_URL)
  const blocks = ['```sh', writeCurlSample(request), '```', '', `Replies ${status}:`]
  return section('Example', [...blocks, ...(shown ? ['', '```json', shown, '```'] : [])].join('\n'))
}

const code = (text: string) => `\`${text}\``

/** A section, or nothing where there is nothing to say. */
const section = (title: string, text: string) => (text === '' ? '' : `## ${title}\n\n${text}`)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The words of a description, which the reference shows as HTML: code and links to its sections. */
const toMarkdown = ({ html }: Html): string =>
  html
    .replace(/<code>(.*?)<\/code>/g, '`$1`')
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '')

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
