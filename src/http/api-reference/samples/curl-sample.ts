import { splitAtVariables, variablesIn } from './id-variables.ts'
import type { SampleBody, SampleRequest } from './sample-request.ts'

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
