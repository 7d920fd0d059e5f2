import type { OpenApiDocument, Operation } from './document.ts'
import { sampleBody } from './sample.ts'

/** The shell command that calls an operation. It works when pasted, once its variables are set. */
export function curlOf(
  openapi: OpenApiDocument,
  path: string,
  method: string,
  operation: Operation,
): string {
  const base = openapi.servers?.[0]?.url ?? ''
  const verb = method === 'get' ? [] : [`-X ${method.toUpperCase()}`]
  const address = base + withVariables(path) + queryOf(operation)
  const key = operation.security?.length === 0 ? [] : ['-H "Authorization: Bearer $DOCKET_KEY"']
  const first = ['curl', ...verb].join(' ')
  // A line that the column has room for stays one line; a longer one would be broken anywhere.
  const fits = `${first} "${address}"`.length <= 56
  const head = [...(fits ? [`${first} "${address}"`] : [first, `"${address}"`]), ...key]
  return [...head, ...bodyOf(openapi, method, operation)].join(' \\\n  ')
}

function withVariables(path: string): string {
  return path.replace(/([^/{}]+)\/\{[^}]+\}/g, (_, segment: string) => {
    const noun = segment.replace(/ies$/, 'y').replace(/s$/, '').replace(/-/g, '_')
    return `${segment}/$${noun.toUpperCase()}_ID`
  })
}

function queryOf({ parameters = [] }: Operation): string {
  const required = parameters.filter((one) => one.in === 'query' && one.required)
  return required.map(({ name }, i) => `${i ? '&' : '?'}${name}=notes.txt`).join('')
}

function bodyOf(openapi: OpenApiDocument, method: string, operation: Operation): string[] {
  const { requestBody } = operation
  if (!requestBody) return []
  const json = requestBody.content['application/json']
  if (!json) {
    if ('multipart/form-data' in requestBody.content) return ['-F "file=@notes.txt"']
    return ['-H "Content-Type: text/plain"', '--data-binary @notes.txt']
  }
  if (!requestBody.required && method === 'post' && json.example === undefined) return []
  const body = json.example ?? sampleBody(openapi, json.schema ?? {})
  return ['-H "Content-Type: application/json"', ...dataOf(JSON.stringify(body))]
}

/** Ids are variables, and a shell fills them in only where the text is not in single quotes. */
function dataOf(body: string): string[] {
  if (!/"\$[A-Z_]+_ID"/.test(body)) return [`-d '${body.replaceAll("'", `'\\''`)}'`]
  const text = body.replace(/[\\`]|\$(?![A-Z_]+_ID")/g, '\\$&')
  return [`-d @- <<JSON\n${text}\nJSON`]
}
