import { splitAtVariables, variablesIn } from './id-variables.ts'
import { type LiteralSyntax, writeLiteral } from './literals.ts'
import type { SampleRequest } from './sample-request.ts'

/** Writes a program for Node.js, which runs TypeScript as it is; `fetch` needs no package. */
export function writeTypeScriptSample(request: SampleRequest): string {
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
    ...(body ? [`  body: ${bodyExpression(body)},`] : []),
    '})',
    `console.log(response.status${REPLY_ARGUMENTS[replyType]})`,
  ].join('\n')
}

const REPLY_ARGUMENTS: Readonly<Record<SampleRequest['replyType'], string>> = {
  json: ', await response.json()',
  text: ', await response.text()',
  none: '',
}

const bodyExpression = ({ type, value }: NonNullable<SampleRequest['body']>) =>
  type === 'json' ? `JSON.stringify(${writeLiteral(value, SYNTAX, 1)})` : quote(value)

const SYNTAX: LiteralSyntax = {
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
