import { splitAtVariables, variablesIn } from './id-variables.ts'
import { type LiteralSyntax, writeLiteral } from './literals.ts'
import type { SampleRequest } from './sample-request.ts'

/** Writes a Go program that needs only the standard library, formatted as by gofmt. */
export function writeGoSample(request: SampleRequest): string {
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
    `\tfields, err := json.Marshal(${writeLiteral(body.value, SYNTAX, 1)})`,
    ...CHECK,
    '\tbody := bytes.NewReader(fields)',
  ]
}

const SYNTAX: LiteralSyntax = {
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
