import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES } from '#http/api-reference/error-codes.ts'
import {
  listCalls,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiSchema,
} from '#http/openapi/document-types.ts'
import { createOpenApiDocument } from '#http/openapi/openapi-document.ts'
import { errorCodesOf } from '#http/openapi/operation.ts'
import { EVENT_SCHEMAS } from '#resources/nouns.ts'
import { publicRoutes } from '#server/routes.ts'

const ROOT = join(import.meta.dirname, '..')

/** The folder of the files that follow from the endpoints. */
const GENERATED_FOLDER = join(ROOT, 'sdk/src')

/**
 * Returns the part of the client library that follows from the endpoints: a type for each schema and a
 * function for each operation. The files are in the repository, so that they can be read and reviewed; a
 * test compares them with this.
 */
export function generateClient(): Record<string, string> {
  const document = createOpenApiDocument(publicRoutes, EVENT_SCHEMAS, 'https://docket.example.com')
  const files = { 'types.ts': writeTypes(document), 'operations.ts': writeOperations(document) }
  return Object.fromEntries(
    Object.entries(files).map(([name, input]) => {
      const args = ['check', '--write', `--stdin-file-path=${join(GENERATED_FOLDER, name)}`]
      const biome = join(ROOT, 'node_modules/.bin/biome')
      return [name, execFileSync(biome, args, { cwd: ROOT, input, encoding: 'utf8' })]
    }),
  )
}

const HEADER = '// Generated from the endpoints of the server by tools/generate-client.ts.\n'

const identifier = /^[A-Za-z_$][\w$]*$/
const literal = (value: unknown) => JSON.stringify(value)
const nameOfReference = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

const docstring = (...paragraphs: (string | undefined)[]): string => {
  const text = paragraphs.filter(Boolean).join('\n\n').replaceAll('*/', '*\\/')
  if (text === '') return ''
  const lines = text.split('\n')
  return lines.length === 1
    ? `/** ${text} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** Errors of any request, which the document has under `default`, and of any write. */
const STATUSES_OF_ANY = [405, 408, 414, 421, 431]
const OF_ANY = ['route_not_found'] as const

function writeTypes({ components = {}, webhooks = {} }: OpenApiDocument): string {
  const { schemas = {} } = components
  const declarations = Object.entries(schemas)
    // The envelope of errors is the class of the library.
    .filter(([name]) => name !== 'ApiError' && name !== 'ApiErrorBody')
    .map(([name, schema]) =>
      name === 'Change' ? writeChange(schema, schemas) : writeDeclaration(name, schema),
    )
  const events = Object.values(webhooks).map(
    ({ post }) => `| ${typeOf(Object.values(post?.requestBody?.content ?? {})[0]?.schema ?? {})}`,
  )
  const named = new Set([
    ...publicRoutes.flatMap(({ endpoint }) => errorCodesOf(endpoint)),
    ...OF_ANY,
  ])
  const codes = ERROR_CODES.filter(
    ({ code, status }) => named.has(code) || STATUSES_OF_ANY.includes(status),
  ).map(({ code }) => `| ${literal(code)}`)
  return [
    HEADER,
    ...declarations,
    `/** What a webhook receives. Ignore a type that you do not know: more may be added. */\nexport type WebhookEvent = ${events.join(' ')}\n`,
    `/** The codes of errors of the API. More may be added. */\nexport type ErrorCode = ${codes.join(' ')}\n`,
  ].join('\n')
}

const writeDeclaration = (name: string, schema: OpenApiSchema): string =>
  docstring(schema.description) +
  (schema.type === 'object' && schema.properties
    ? `export interface ${name} ${objectType(schema)}\n`
    : `export type ${name} = ${typeOf(schema)}\n`)

/**
 * Writes a change as a union, in which `op` and `type` tell what `record` is. The document has one shape for
 * all changes, because clients of other languages would refuse a type that is added later.
 */
function writeChange(change: OpenApiSchema, schemas: Record<string, OpenApiSchema>): string {
  const { record, ...properties } = change.properties ?? {}
  const puts = (schemas.ChangeType?.enum ?? []).map((type) => {
    const name = nounOfWords(String(type))
    if (!record || !schemas[name]) throw new Error(`There is no schema ${name} of a change`)
    return `| { op: 'put'; type: ${literal(type)}; record: ${name} }`
  })
  return [
    writeDeclaration('ChangeFields', {
      ...change,
      description: 'What all changes have.',
      properties,
    }),
    docstring(
      change.description,
      '`op` and `type` tell what `record` is. Ignore a type that you do not know: more may be added.',
    ) +
      `export type Change = ChangeFields & (${puts.join(' ')} | { op: 'delete' | 'reset'; type: ChangeType; record?: undefined })\n`,
  ].join('\n')
}

function typeOf(schema: OpenApiSchema): string {
  const { $ref, anyOf, oneOf, allOf, type, items } = schema
  if ($ref !== undefined) return nameOfReference($ref)
  if (allOf) return allOf.map(typeOf).join(' & ')
  const choices = anyOf ?? oneOf ?? schema.enum
  if (choices)
    return [...new Set((anyOf ?? oneOf)?.map(typeOf) ?? choices.map(literal))].join(' | ')
  if (Array.isArray(type)) {
    return type.map((one: string) => typeOf({ ...schema, type: one })).join(' | ')
  }
  if (type === 'array') return `Array<${typeOf(items ?? {})}>`
  if (type === 'object') return objectType(schema)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function objectType({ properties, required = [], additionalProperties }: OpenApiSchema): string {
  if (!properties) {
    const value =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
    return `Record<string, ${value}>`
  }
  if (Object.keys(properties).length === 0) return 'Record<string, never>'
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      docstring(schema.description) +
      `${identifier.test(name) ? name : literal(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  return `{\n${members.join('\n')}\n}`
}

function writeOperations(document: OpenApiDocument): string {
  const parts = listCalls(document).map(({ method, path, operation }) =>
    writeOperation(method.toUpperCase(), path, operation),
  )
  const text = parts.join('\n')
  const importsOf = (from: string, names: readonly string[]) => {
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
    return used.length === 0 ? '' : `import type { ${used.sort().join(', ')} } from '${from}'\n`
  }
  const schemas = Object.keys(document.components?.schemas ?? {})
  return [
    HEADER,
    `import { toPath } from './docket.ts'\n`,
    importsOf('./docket.ts', [
      'ConditionalOptions',
      'Docket',
      'DryRunOptions',
      'FileContent',
      'RequestOptions',
      'WriteOptions',
    ]),
    `import { List } from './list.ts'\n`,
    importsOf('./types.ts', schemas),
    '\n',
    text,
  ].join('')
}

const HEADERS_AS_OPTIONS = { conditions: 'If-Match', key: 'Idempotency-Key', dryRun: 'dry_run' }

function writeOperation(method: string, path: string, operation: OpenApiOperation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const has = (name: string) => parameters.some((parameter) => parameter.name === name)
  const takes = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const ids = takes('path').map(({ name }) => nameOfId(name, path))
  const pathText = `toPath\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${${nameOfId(name, path)}}`)}\``
  const query = takes('query').filter(({ name }) => name !== HEADERS_AS_OPTIONS.dryRun)
  // 202 beside another reply says that the request waits, which the library throws.
  const successes = Object.entries(responses).filter(([one]) => /^2/.test(one))
  const [status = '', success] = successes.find(([one]) => one !== '202') ?? successes[0] ?? []
  const replySchema = success?.content?.['application/json']?.schema
  const reply = replySchema ? typeOf(replySchema) : 'void'
  const isFile = success?.content?.['application/octet-stream'] !== undefined
  const bodySchema = requestBody?.content['application/json']?.schema
  const isUpload = requestBody !== undefined && !bodySchema
  const record = reply === 'void' ? nounOf(path) : reply
  const body = isUpload ? 'FileContent' : bodySchema && typeOf(bodySchema)

  const options = [
    method === 'GET' ? 'RequestOptions' : 'WriteOptions',
    has(HEADERS_AS_OPTIONS.dryRun) && 'DryRunOptions',
    has(HEADERS_AS_OPTIONS.conditions) && `ConditionalOptions<${body ?? 'true'}, ${record}>`,
  ].filter(Boolean)
  const args = [
    'docket: Docket',
    ...ids.map((name) => `${name}: string`),
    body && `${isUpload ? 'file' : 'body'}: ${body}${requestBody?.required ? '' : ' = {}'}`,
    query.length > 0 && `query: ${queryType(query)}`,
    `options?: ${options.join(' & ')}`,
  ].filter(Boolean)
  const docs = docstring(`${summary}.`, description?.replace(/\n\nRoles: /, '\n\nWho may: '))
  const isList = has('cursor')
  const returns = isList
    ? `List<${listedType(reply)}, ${reply}>`
    : `Promise<${isFile ? 'Response' : reply}>`
  const call = `{ method: ${literal(method)}, path, ${query.length > 0 ? 'query, ' : ''}${isUpload ? 'file, ' : body ? 'body, ' : ''}options }`
  const recordPath = /\/(complete|restore)$/.test(path)
    ? `path.slice(0, path.lastIndexOf('/'))`
    : 'path'
  const send = isList
    ? 'new List(docket, path, query, options)'
    : has(HEADERS_AS_OPTIONS.conditions)
      ? `docket.change(${call.replace('body, ', '')}, ${body ? 'body' : 'true'}, ${recordPath})`
      : `docket.${isFile ? 'open' : 'send'}(${call})`
  if (status === '') throw new Error(`${operationId} has no reply`)
  return `${docs}export function ${operationId}(${args.join(', ')}): ${returns} {\nconst path = ${pathText}\nreturn ${send}\n}\n`
}

/** The name of an argument: `taskId` for `/tasks/{id}`. */
function nameOfId(name: string, path: string): string {
  const noun = nounOf(path)
  return name === 'id' ? `${noun.charAt(0).toLowerCase()}${noun.slice(1)}Id` : name
}

/** "TimeEntry" for `/api/v1/time-entries/{id}/…`. */
function nounOf(path: string): string {
  const [, plural = ''] = /([\w-]+)\/\{id\}/.exec(path) ?? []
  return nounOfWords(plural.replace(/ies$/, 'y').replace(/s$/, ''))
}

/** "TimeEntry" for `time-entry` and `time_entry`. */
const nounOfWords = (words: string) =>
  words.replace(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase())

const listedType = (page: string) => page.replace(/Page$/, '')

function queryType(parameters: readonly OpenApiParameter[]): string {
  const members = parameters.map(
    ({ name, description, schema, required }) =>
      `${docstring(description)}${name}${required ? '' : '?'}: ${queryValueType(schema)} | undefined`,
  )
  const isOptional = parameters.every(({ required }) => !required)
  return `{\n${members.join('\n')}\n}${isOptional ? ' = {}' : ''}`
}

/** Several values can be given as a list, and one by itself. */
const queryValueType = (schema: OpenApiSchema): string =>
  schema.type === 'array'
    ? `${typeOf(schema.items ?? {})} | ReadonlyArray<${typeOf(schema.items ?? {})}>`
    : typeOf(schema)

if (import.meta.main) {
  for (const [name, text] of Object.entries(generateClient())) {
    writeFileSync(join(GENERATED_FOLDER, name), text)
  }
}
