import { writeFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import { routes, sessionActions } from '../src/server/app.ts'

/** Generates docs/internal.md from the endpoints: `npx node tools/internal-docs.ts`. */
const FILE = 'docs/internal.md'

const HEAD = `# Addresses of the web app

\`/internal/*\` serves Docket's own web app: with the session's cookie and no other credential (a request with
\`Authorization\` is 403 \`session_required\`), 600 requests a minute for a person in a workspace, writes only from Docket's own pages
(\`Sec-Fetch-Site: same-origin\`, or without that header \`Origin\` = base URL). Errors, lists and merge patches are those
of [the API](guides/requests.md); dry runs are not, and idempotency keys only where it is said. It may change with any release: programs use \`/api/v1\`.

A mark after a field: \`?\` it may be left out, \`|null\` it may be null. *Open* addresses need no session.
Made from the code by \`npx node tools/internal-docs.ts\`.
`

/** The text of the document for the current code. */
export function renderInternalDocs(): string {
  const all = [...routes, ...sessionActions].map(({ endpoint }) => endpoint as Endpoint)
  const internal = all.filter(({ path }) => path.startsWith('/internal/'))
  const tags = [...new Set(internal.map(({ tag }) => tag))].toSorted()
  const parts = tags.map((tag) => {
    const of = internal.filter((endpoint) => endpoint.tag === tag)
    return `## ${tag}\n\n${of.map(describeEndpoint).join('\n')}`
  })
  return `${HEAD}\n${parts.join('\n')}`
}

function describeEndpoint(endpoint: Endpoint): string {
  const { method, path, summary, description, scope, query, body, reply, stream } =
    endpoint as Endpoint & { stream?: TSchema }
  const keyed = endpoint.takesIdempotencyKey ? ' Takes an `Idempotency-Key`.' : ''
  const open = scope === 'open' ? ' *Open.*' : ''
  return [
    `### \`${method} ${path}\`\n`,
    `${summary}.${open}${description ? ` ${description}` : ''}${keyed}\n`,
    ...describeFields('Query', query),
    ...describeFields('Body', body),
    `${successStatusOf(endpoint)}${stream ? ': server-sent events' : reply ? `: ${nameOf(reply)}` : ''}\n`,
  ].join('\n')
}

interface DocumentedSchema {
  title?: string
  type?: string
  properties?: Record<string, DocumentedSchema>
  required?: string[]
  anyOf?: DocumentedSchema[]
  items?: DocumentedSchema
}

const describeFields = (name: string, schema: TSchema | undefined): string[] => {
  const { properties, required } = (schema ?? {}) as DocumentedSchema
  if (!properties || Object.keys(properties).length === 0) return []
  return [
    `${name}: ${Object.keys(properties)
      .map((key) => describeField(key, properties, required))
      .join(', ')}\n`,
  ]
}

function describeField(
  key: string,
  properties: Record<string, DocumentedSchema>,
  required: string[] = [],
): string {
  const nullable = properties[key]?.anyOf?.some(({ type }) => type === 'null')
  return `\`${key}\`${required.includes(key) ? '' : '?'}${nullable ? '|null' : ''}`
}

/** Describes a reply: a record by its name, a list of records, or an object by its fields. */
function nameOf(schema: TSchema): string {
  const { title, properties = {} } = schema as DocumentedSchema
  const of = properties.has_more && properties.data?.items?.title
  if (of) return `list of ${of}`
  if (title) return title
  return `{ ${Object.keys(properties).join(', ')} }`
}

if (import.meta.main) writeFileSync(FILE, renderInternalDocs())
