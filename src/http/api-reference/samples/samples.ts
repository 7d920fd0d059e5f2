import type { OperationCall } from '../../openapi/document-types.ts'
import {
  type ExampleRequest,
  exampleOf,
  type RecordedExample,
} from '../../openapi/recorded-examples.ts'

/** The recorded example of an operation, whose path the document writes with braces. */
export const findExample = ({ method, path }: OperationCall): RecordedExample | undefined =>
  exampleOf(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'))

/** A variable of the samples, and the prefix of the ids that it holds. */
interface IdVariable {
  readonly name: string
  readonly prefix: string
}

/** Which operations give the ids that later samples use. */
const STORED_VARIABLES: Readonly<Record<string, IdVariable>> = {
  listMembers: { prefix: 'usr', name: 'USER_ID' },
  listProjects: { prefix: 'prj', name: 'PROJECT_ID' },
  createTag: { prefix: 'tag', name: 'TAG_ID' },
  createTask: { prefix: 'tsk', name: 'TASK_ID' },
  createComment: { prefix: 'cmt', name: 'COMMENT_ID' },
  createTimeEntry: { prefix: 'tme', name: 'TIME_ENTRY_ID' },
  uploadAttachment: { prefix: 'att', name: 'ATTACHMENT_ID' },
  createWebhook: { prefix: 'whk', name: 'WEBHOOK_ID' },
  testWebhook: { prefix: 'dlv', name: 'DELIVERY_ID' },
  listOperations: { prefix: 'opr', name: 'OPERATION_ID' },
}

/** The variable that gets its value from the reply of an operation. */
export const storedVariable = (operationId: string): IdVariable | undefined =>
  STORED_VARIABLES[operationId]

/** Replaces the ids of the recorded examples by variables; also short ids of tasks. */
function withIdVariables(text: string): string {
  return Object.values(STORED_VARIABLES)
    .reduce(
      (replaced, { prefix, name }) =>
        replaced.replace(RegExp(`\\b${prefix}_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g'), `$$${name}`),
      text,
    )
    .replace(/^ENG-\d+$/, '$TASK_ID')
}

/** A piece of a text: either characters, or the name of a variable. */
type TextPiece = { readonly text: string } | { readonly variable: string }

/** Splits a text at its variables. */
function splitAtVariables(text: string): TextPiece[] {
  return text
    .split(/(\$[A-Z_]+_ID\b)/)
    .filter((piece) => piece !== '')
    .map((piece) => (/^\$[A-Z_]+_ID$/.test(piece) ? { variable: piece.slice(1) } : { text: piece }))
}

/** The names of the variables in a request, in order and without repeats. */
function variablesIn(...texts: string[]): string[] {
  const names = texts.flatMap((text) =>
    splitAtVariables(text).flatMap((piece) => ('variable' in piece ? [piece.variable] : [])),
  )
  return [...new Set(names)]
}

/**
 * A request of the reference, from which its samples are written. Those of the page work one after
 * another, from top to bottom, in a new demo workspace: ids are variables such as `$TASK_ID`, which an
 * earlier sample has set.
 */
export interface SampleRequest {
  /** In capitals. */
  readonly method: string
  /** The path and the query, encoded, with variables: `/api/v1/tasks/$TASK_ID`. */
  readonly target: string
  /** The values in the path, and the parameters of the query, with variables. */
  readonly ids: readonly string[]
  readonly query: Readonly<Record<string, unknown>>
  /** Without `Authorization`, which all requests have. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: SampleBody | undefined
  /** The status of its reply. */
  readonly status: number
  /** The variable that gets the id of the first record in the reply. */
  readonly stores?: IdVariable | undefined
}

/** A body of JSON, in which texts may contain variables, or the text of a file. */
type SampleBody =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'text'; readonly value: string }

/** The request of the recorded example of an operation, or undefined if it has none. */
export function createSampleRequest({ path, method, operation }: OperationCall) {
  const example = findExample({ path, method, operation })
  if (!example) return undefined
  const { request, response } = example
  const body = createBody(operation.operationId, request)
  const contentType = body?.type === 'json' ? 'application/json' : request.headers?.['Content-Type']
  const idOf = (name: string) => withIdVariables(request.path[name] ?? '')
  const query = Object.entries(request.query).map(
    ([name, value]) => [name, JSON.parse(withIdVariables(JSON.stringify(value)))] as const,
  )
  const parameters = query.map(([name, value]) => `${name}=${encodeQueryValue(String(value))}`)
  const sample: SampleRequest = {
    method: method.toUpperCase(),
    target: [path.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name)), parameters.join('&')]
      .filter((part) => part !== '')
      .join('?'),
    ids: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => idOf(name)),
    query: Object.fromEntries(query),
    headers: contentType === undefined ? {} : { 'Content-Type': contentType },
    body,
    status: response.status,
    stores: storedVariable(operation.operationId),
  }
  return sample
}

/** Commas and variables stay readable. */
const encodeQueryValue = (value: string) =>
  encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%24', '$')

/**
 * Fields of the examples that samples leave out: the tag has been deleted by an earlier sample, and
 * time is better logged today than on a day in the calendar of the examples.
 */
const OMITTED_FIELDS: Readonly<Record<string, string>> = {
  createTask: 'tag_ids',
  createTimeEntry: 'spent_on',
}

function createBody(operationId: string, { body }: ExampleRequest): SampleBody | undefined {
  if (body === undefined) return undefined
  if (typeof body === 'string') return { type: 'text', value: body }
  const { [OMITTED_FIELDS[operationId] ?? '']: _, ...value } = { ...Object(body) }
  return { type: 'json', value: JSON.parse(withIdVariables(JSON.stringify(value))) }
}

/**
 * Writes a shell command. If a later sample needs an id of the reply, it also sets its variable:
 * the first id in a reply is that of the record, or of the first one of a list.
 */
function writeCurlSample(request: SampleRequest): string {
  const { method, target, headers, body, stores } = request
  const options = [
    `${method === 'GET' ? 'curl' : `curl -X ${method}`} "$DOCKET_URL${target}"`,
    '-H "Authorization: Bearer $DOCKET_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
  ]
  const heredoc = body && heredocOf(body)
  if (heredoc !== undefined) options.push('-d @- <<JSON')
  else if (body) options.push(quotedBody(body))
  const command = options.join(' \\\n  ') + (stores ? ' | tee reply.json' : '')
  return [
    command,
    ...(heredoc === undefined ? [] : [heredoc, 'JSON']),
    ...(stores
      ? [`export ${stores.name}=$(grep -o '${stores.prefix}_[0-9a-z]*' reply.json | head -n 1)`]
      : []),
  ].join('\n')
}

function quotedBody({ type, value }: SampleBody): string {
  const option = type === 'json' ? '-d' : '--data-binary'
  const text = type === 'json' ? formatJson(value) : value
  return `${option} '${text.replaceAll("'", `'\\''`)}'`
}

/** A body with variables: the shell expands none in single quotes. */
function heredocOf({ type, value }: SampleBody): string | undefined {
  if (type === 'text') return undefined
  const text = formatJson(value)
  if (variablesIn(text).length === 0) return undefined
  return splitAtVariables(text)
    .map((piece) => ('variable' in piece ? `$${piece.variable}` : escapeHeredoc(piece.text)))
    .join('')
}

const escapeHeredoc = (text: string) => text.replace(/[\\`$]/g, '\\$&')

/** A short body stays on its line. */
function formatJson(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 48 ? line : JSON.stringify(value, null, 2)
}

/** Writes a program with the client library, which reads the variables from the environment. */
function writeClientSample({ operation }: OperationCall, request: SampleRequest): string {
  const { operationId, parameters = [], requestBody, responses } = operation
  const { ids, query, body } = request
  const has = (name: string) => parameters.some((parameter) => parameter.name === name)
  const isDownload = responses[request.status]?.content?.['application/octet-stream'] !== undefined
  const isEmpty = request.status === 204
  const hasQuery = Object.keys(query).length > 0
  const args = [
    'docket',
    ...ids.map((id) => writeLiteral(id)),
    ...(body ? [writeLiteral(body.value)] : requestBody && hasQuery ? ['{}'] : []),
    ...(hasQuery ? [writeLiteral(query)] : []),
  ]
  const call = `${operationId}(${args.join(', ')})`
  const variables = variablesIn(JSON.stringify([ids, query, body ?? null]))
  const names = ['DOCKET_URL', 'DOCKET_KEY', ...variables].map((name) => `${name} = ''`)
  return [
    `import { Docket, ${operationId} } from ${quote('docket-client')}`,
    '',
    `const { ${names.join(', ')} } = process.env`,
    'const docket = new Docket({ baseUrl: DOCKET_URL, token: DOCKET_KEY })',
    '',
    ...(has('cursor')
      ? [`for await (const record of ${call}) console.log(record)`]
      : isDownload
        ? [`const response = await ${call}`, 'console.log(await response.text())']
        : isEmpty
          ? [`await ${call}`]
          : [`const reply = await ${call}`, 'console.log(reply)']),
  ].join('\n')
}

/** A longer list of values gets a line for each. */
const MAX_INLINE_CHARACTERS = 60

/** Writes a JSON value as JavaScript; `indent` is that of the line on which it begins. */
function writeLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string') return writeText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const isArray = Array.isArray(value)
  const parts = Object.entries(value).map(
    ([name, part]) =>
      `${isArray ? '' : `${/^[a-z_]\w*$/i.test(name) ? name : quote(name)}: `}${writeLiteral(part, inner)}`,
  )
  const [open, close, space] = isArray ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return open + close
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (line.length <= MAX_INLINE_CHARACTERS && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** A variable alone, a template with variables, or a text in quotes. */
function writeText(text: string): string {
  const pieces = splitAtVariables(text)
  const [first] = pieces
  if (pieces.length === 1 && first && 'variable' in first) return first.variable
  if (!pieces.some((piece) => 'variable' in piece)) return quote(text)
  const inside = pieces.map((piece) =>
    'variable' in piece ? `\${${piece.variable}}` : piece.text.replace(/[\\`$]/g, '\\$&'),
  )
  return `\`${inside.join('')}\``
}

const quote = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** A request in one of the two ways in which the reference shows each. */
interface Sample {
  readonly name: string
  /** That of a code block in Markdown. */
  readonly language: string
  readonly text: string
}

/** The samples of an operation: a command in the shell, and a program with the client library. */
export const writeSamples = (call: OperationCall, request: SampleRequest): Sample[] => [
  { name: 'curl', language: 'sh', text: writeCurlSample(request) },
  { name: 'docket-client', language: 'ts', text: writeClientSample(call, request) },
]
