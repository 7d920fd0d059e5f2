import {
  type ExampleRequest,
  exampleOf,
  type RecordedExample,
} from '../../openapi/recorded-examples.ts'
import type { OperationCall } from '../openapi/operations.ts'

/** The recorded example of an operation, whose path the document writes with braces. */
export const findExample = ({ method, path }: OperationCall): RecordedExample | undefined =>
  exampleOf(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'))

/** The variables of the samples by the prefix of the ids that they hold. */
const VARIABLES = {
  usr: 'USER_ID',
  prj: 'PROJECT_ID',
  tag: 'TAG_ID',
  tsk: 'TASK_ID',
  cmt: 'COMMENT_ID',
  tme: 'TIME_ENTRY_ID',
  att: 'ATTACHMENT_ID',
  whk: 'WEBHOOK_ID',
  dlv: 'DELIVERY_ID',
} as const

/** A variable, and the prefix of the ids that it holds. */
interface IdVariable {
  readonly name: string
  readonly prefix: string
}

/** Which operation gives the id that later samples use. */
const STORED_PREFIXES: Readonly<Record<string, keyof typeof VARIABLES>> = {
  listMembers: 'usr',
  listProjects: 'prj',
  createTag: 'tag',
  createTask: 'tsk',
  createComment: 'cmt',
  createTimeEntry: 'tme',
  uploadAttachment: 'att',
  createWebhook: 'whk',
  testWebhook: 'dlv',
}

/** The variable that gets its value from the reply of an operation. */
export function storedVariable(operationId: string): IdVariable | undefined {
  const prefix = STORED_PREFIXES[operationId]
  return prefix && { prefix, name: VARIABLES[prefix] }
}

/** Replaces the ids of the recorded examples by variables; also short ids of tasks. */
function withIdVariables(text: string): string {
  const prefixes = Object.entries(VARIABLES)
  return prefixes
    .reduce(
      (replaced, [prefix, name]) =>
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

/** How a language writes the values of a JSON body. */
interface LiteralSyntax {
  readonly indent: string
  readonly object: string
  readonly array: string
  readonly null: string
  readonly true: string
  readonly false: string
  readonly text: (text: string) => string
  readonly key: (name: string) => string
  /** gofmt aligns the values of fields on consecutive lines. */
  readonly alignsValues?: boolean
}

/** A longer list of values gets a line for each. */
const MAX_INLINE_CHARACTERS = 60

/** Writes a JSON value as a literal; `depth` is the indentation of the line on which it begins. */
function writeLiteral(value: unknown, syntax: LiteralSyntax, depth = 0): string {
  if (value === null) return syntax.null
  if (typeof value === 'boolean') return value ? syntax.true : syntax.false
  if (typeof value === 'string') return syntax.text(value)
  if (Array.isArray(value)) return writeArray(value, syntax, depth)
  if (typeof value === 'object') return writeObject(value, syntax, depth)
  return String(value)
}

function writeArray(values: unknown[], syntax: LiteralSyntax, depth: number): string {
  const literals = values.map((value) => writeLiteral(value, syntax, depth + 1))
  const line = `${syntax.array}${literals.join(', ')}${closing(syntax.array)}`
  const isInline = line.length <= MAX_INLINE_CHARACTERS && !line.includes('\n')
  return isInline ? line : writeLines(syntax.array, literals, syntax, depth)
}

function writeObject(value: object, syntax: LiteralSyntax, depth: number): string {
  const fields = Object.entries(value).map(([name, field]) => ({
    key: `${syntax.key(name)}:`,
    literal: writeLiteral(field, syntax, depth + 1),
  }))
  const lines = fields.map(({ key, literal }, at) => {
    const width = syntax.alignsValues ? alignedWidth(fields, at) : key.length
    return `${key.padEnd(width)} ${literal}`
  })
  return writeLines(syntax.object, lines, syntax, depth)
}

/** The widest key of the consecutive fields on one line each, among which this field is. */
function alignedWidth(fields: readonly { key: string; literal: string }[], at: number): number {
  const isMultiline = (index: number) => fields[index]?.literal.includes('\n') ?? true
  if (isMultiline(at)) return 0
  let [first, last] = [at, at]
  while (!isMultiline(first - 1)) first -= 1
  while (!isMultiline(last + 1)) last += 1
  return Math.max(...fields.slice(first, last + 1).map(({ key }) => key.length))
}

function writeLines(open: string, lines: string[], { indent }: LiteralSyntax, depth: number) {
  const inner = lines.map((line) => `${indent.repeat(depth + 1)}${line},\n`)
  return `${open}\n${inner.join('')}${indent.repeat(depth)}${closing(open)}`
}

const closing = (open: string) => (open.endsWith('[') ? ']' : '}')

/**
 * A request of the reference, from which the samples of all languages are written. The samples of
 * the page work one after another, from top to bottom, in a new demo workspace: ids are variables
 * such as `$TASK_ID`, which an earlier sample has set.
 */
export interface SampleRequest {
  /** In capitals. */
  readonly method: string
  /** The path and the query, encoded, with variables: `/api/v1/tasks/$TASK_ID`. */
  readonly target: string
  /** Without `Authorization`, which all requests have. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: SampleBody | undefined
  /** The status of its reply. */
  readonly status: number
  readonly replyType: 'json' | 'text' | 'none'
  /** The variable that gets the id of the first record in the reply. */
  readonly stores?: IdVariable | undefined
}

/** A body of JSON, in which texts may contain variables, or the text of a file. */
type SampleBody =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'text'; readonly value: string }

/** The request of the recorded example of an operation, or undefined if it has none. */
export function createSampleRequest(call: OperationCall): SampleRequest | undefined {
  const example = findExample(call)
  if (!example) return undefined
  const { path, method, operation } = call
  const { request, response } = example
  const body = createBody(operation.operationId, request)
  const contentType = body?.type === 'json' ? 'application/json' : request.headers?.['Content-Type']
  return {
    method: method.toUpperCase(),
    target: createTarget(path, request),
    headers: contentType === undefined ? {} : { 'Content-Type': contentType },
    body,
    status: response.status,
    replyType: replyTypeOf(response.body),
    stores: storedVariable(operation.operationId),
  }
}

function createTarget(path: string, { path: values, query }: ExampleRequest): string {
  const filledIn = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    withIdVariables(values[name] ?? ''),
  )
  const parameters = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeQueryValue(withIdVariables(String(value)))}`,
  )
  return parameters.length === 0 ? filledIn : `${filledIn}?${parameters.join('&')}`
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

function replyTypeOf(body: unknown): SampleRequest['replyType'] {
  if (body === undefined) return 'none'
  return typeof body === 'string' ? 'text' : 'json'
}

/**
 * Writes a shell command. If a later sample needs an id of the reply, it also sets its variable:
 * the first id in a reply is that of the record, or of the first one of a list.
 */
export function writeCurlSample(request: SampleRequest): string {
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

/** Writes a Go program that needs only the standard library, formatted as by gofmt. */
function writeGoSample(request: SampleRequest): string {
  const { method, target, headers, body } = request
  const variables = variablesIn(target, JSON.stringify(body ?? ''))
  const bodyReader = body ? 'body' : 'nil'
  return [
    'package main',
    '',
    'import (',
    ...packagesOf(body).map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...variables.map((name) => `\t${goName(name)} := os.Getenv("${name}")`),
    `\turl := os.Getenv("DOCKET_URL") + ${concatenation(target)}`,
    ...bodyLines(body),
    `\trequest, err := http.NewRequest("${method}", url, ${bodyReader})`,
    ...CHECK,
    '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("DOCKET_KEY"))',
    ...Object.entries(headers).map(
      ([name, value]) => `\trequest.Header.Set("${name}", "${value}")`,
    ),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...CHECK,
    '\tdefer response.Body.Close()',
    '\tfmt.Println(response.Status)',
    '\tio.Copy(os.Stdout, response.Body)',
    '}',
  ].join('\n')
}

const CHECK = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}']

function packagesOf(body: SampleRequest['body']): string[] {
  const common = ['fmt', 'io', 'log', 'net/http', 'os']
  if (!body) return common
  return body.type === 'json' ? ['bytes', 'encoding/json', ...common] : [...common, 'strings']
}

function bodyLines(body: SampleRequest['body']): string[] {
  if (!body) return []
  if (body.type === 'text') return [`\tbody := strings.NewReader(${JSON.stringify(body.value)})`]
  return [
    `\tfields, err := json.Marshal(${writeLiteral(body.value, GO_SYNTAX, 1)})`,
    ...CHECK,
    '\tbody := bytes.NewReader(fields)',
  ]
}

const GO_SYNTAX: LiteralSyntax = {
  indent: '\t',
  object: 'map[string]any{',
  array: '[]any{',
  null: 'nil',
  true: 'true',
  false: 'false',
  alignsValues: true,
  key: (name) => JSON.stringify(name),
  text: concatenation,
}

function concatenation(text: string): string {
  const pieces = splitAtVariables(text)
  if (pieces.length === 0) return '""'
  return pieces
    .map((piece) => ('variable' in piece ? goName(piece.variable) : JSON.stringify(piece.text)))
    .join(' + ')
}

/** "timeEntryID" for `TIME_ENTRY_ID`. */
const goName = (variable: string) =>
  variable
    .replace(/_ID$/, '')
    .toLowerCase()
    .replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    .concat('ID')

/** Writes a Python program that needs only the standard library. */
function writePythonSample(request: SampleRequest): string {
  const { method, target, headers, body, replyType } = request
  const variables = variablesIn(target, JSON.stringify(body ?? ''))
  const headerLines = ['        "Authorization": f"Bearer {key}",']
  for (const [name, value] of Object.entries(headers)) {
    headerLines.push(`        "${name}": "${value}",`)
  }
  return [
    ...(body?.type === 'json' || replyType === 'json' ? ['import json'] : []),
    'import os',
    'import urllib.request',
    '',
    'url = os.environ["DOCKET_URL"]',
    'key = os.environ["DOCKET_KEY"]',
    ...variables.map((name) => `${name.toLowerCase()} = os.environ["${name}"]`),
    '',
    'request = urllib.request.Request(',
    `    f"{url}${formatText(target)}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    ...headerLines,
    '    },',
    ...(body ? [`    data=${pythonBody(body)}.encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    `    print(response.status${PYTHON_REPLY_ARGUMENTS[replyType]})`,
  ].join('\n')
}

const PYTHON_REPLY_ARGUMENTS: Readonly<Record<SampleRequest['replyType'], string>> = {
  json: ', json.load(response)',
  text: ', response.read().decode()',
  none: '',
}

const pythonBody = ({ type, value }: NonNullable<SampleRequest['body']>) =>
  type === 'json' ? `json.dumps(${writeLiteral(value, PYTHON_SYNTAX, 1)})` : JSON.stringify(value)

const PYTHON_SYNTAX: LiteralSyntax = {
  indent: '    ',
  object: '{',
  array: '[',
  null: 'None',
  true: 'True',
  false: 'False',
  key: (name) => JSON.stringify(name),
  text(text) {
    const [first, ...rest] = splitAtVariables(text)
    if (first && 'variable' in first && rest.length === 0) return first.variable.toLowerCase()
    return variablesIn(text).length > 0 ? `f"${formatText(text)}"` : JSON.stringify(text)
  },
}

/** The inside of an f-string. */
const formatText = (text: string) =>
  splitAtVariables(text)
    .map((piece) =>
      'variable' in piece
        ? `{${piece.variable.toLowerCase()}}`
        : JSON.stringify(piece.text).slice(1, -1).replace(/[{}]/g, '$&$&'),
    )
    .join('')

/** Writes a program for Node.js, which runs TypeScript as it is; `fetch` needs no package. */
function writeTypeScriptSample(request: SampleRequest): string {
  const { method, target, headers, body, replyType } = request
  const variables = ['DOCKET_URL', 'DOCKET_KEY', ...variablesIn(target, JSON.stringify(body ?? ''))]
  const headerLines = [`    Authorization: \`Bearer \${DOCKET_KEY}\`,`]
  for (const [name, value] of Object.entries(headers))
    headerLines.push(`    '${name}': '${value}',`)
  return [
    `const { ${variables.join(', ')} } = process.env`,
    '',
    `const response = await fetch(\`\${DOCKET_URL}${templateText(target)}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headerLines,
    '  },',
    ...(body ? [`  body: ${typescriptBody(body)},`] : []),
    '})',
    `console.log(response.status${TYPESCRIPT_REPLY_ARGUMENTS[replyType]})`,
  ].join('\n')
}

const TYPESCRIPT_REPLY_ARGUMENTS: Readonly<Record<SampleRequest['replyType'], string>> = {
  json: ', await response.json()',
  text: ', await response.text()',
  none: '',
}

const typescriptBody = ({ type, value }: NonNullable<SampleRequest['body']>) =>
  type === 'json' ? `JSON.stringify(${writeLiteral(value, TYPESCRIPT_SYNTAX, 1)})` : quote(value)

const TYPESCRIPT_SYNTAX: LiteralSyntax = {
  indent: '  ',
  object: '{',
  array: '[',
  null: 'null',
  true: 'true',
  false: 'false',
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : quote(name)),
  text(text) {
    const [first, ...rest] = splitAtVariables(text)
    if (first && 'variable' in first && rest.length === 0) return first.variable
    return variablesIn(text).length > 0 ? `\`${templateText(text)}\`` : quote(text)
  },
}

/** The inside of a template literal. */
const templateText = (text: string) =>
  splitAtVariables(text)
    .map((piece) =>
      'variable' in piece ? `\${${piece.variable}}` : piece.text.replace(/[\\`$]/g, '\\$&'),
    )
    .join('')

const quote = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** A language of the samples; the first one is shown until the reader chooses another. */
interface SampleLanguage {
  readonly id: string
  readonly name: string
  readonly write: (request: SampleRequest) => string
}

export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = [
  { id: 'curl', name: 'curl', write: writeCurlSample },
  { id: 'typescript', name: 'TypeScript', write: writeTypeScriptSample },
  { id: 'python', name: 'Python', write: writePythonSample },
  { id: 'go', name: 'Go', write: writeGoSample },
]
