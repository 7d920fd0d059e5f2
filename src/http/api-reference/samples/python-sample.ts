import { splitAtVariables, variablesIn } from './id-variables.ts'
import { type LiteralSyntax, writeLiteral } from './literals.ts'
import type { SampleRequest } from './sample-request.ts'

/** Writes a Python program that needs only the standard library. */
export function writePythonSample(request: SampleRequest): string {
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
    ...(body ? [`    data=${bodyExpression(body)}.encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    `    print(response.status${REPLY_ARGUMENTS[replyType]})`,
  ].join('\n')
}

const REPLY_ARGUMENTS: Readonly<Record<SampleRequest['replyType'], string>> = {
  json: ', json.load(response)',
  text: ', response.read().decode()',
  none: '',
}

const bodyExpression = ({ type, value }: NonNullable<SampleRequest['body']>) =>
  type === 'json' ? `json.dumps(${writeLiteral(value, SYNTAX, 1)})` : JSON.stringify(value)

const SYNTAX: LiteralSyntax = {
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
