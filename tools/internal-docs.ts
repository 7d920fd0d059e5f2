import { writeFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import { doors, routes } from '../src/app.ts'

/** Writes docs/internal.md out of the endpoints themselves: `npx node tools/internal-docs.ts`. */
const FILE = 'docs/internal.md'

const HEAD = `# Addresses of the web app

\`/internal/*\` serves Docket's own web app: with the session's cookie and no other credential (a request with
\`Authorization\` is 403 \`session_required\`), 600 requests a minute and session, writes only from Docket's own pages
(\`Sec-Fetch-Site: same-origin\`, or without that header \`Origin\` = base URL). Errors, lists and merge patches are those
of [the API](api.md); dry runs are not, and idempotency keys only where it is said. It may change with any release: programs use \`/api/v1\`.

A mark after a field: \`?\` it may be left out, \`|null\` it may be null. *Open* addresses need no session.
Made from the code by \`npx node tools/internal-docs.ts\`.
`

/** The text of the document as the code has it now. */
export function internalDocs(): string {
  const all = [...routes, ...doors].map(({ endpoint }) => endpoint as Endpoint)
  const internal = all.filter(({ path }) => path.startsWith('/internal/'))
  const tags = [...new Set(internal.map(({ tag }) => tag))].toSorted()
  const parts = tags.map((tag) => {
    const of = internal.filter((endpoint) => endpoint.tag === tag)
    return `## ${tag}\n\n${of.map(described).join('\n')}`
  })
  return `${HEAD}\n${parts.join('\n')}`
}

function described(endpoint: Endpoint): string {
  const { method, path, summary, description, scope, query, body, reply, stream } =
    endpoint as Endpoint & { stream?: TSchema }
  const keyed = endpoint.once ? ' Takes an `Idempotency-Key`.' : ''
  const open = scope === 'open' ? ' *Open.*' : ''
  return [
    `### \`${method} ${path}\`\n`,
    `${summary}.${open}${description ? ` ${description}` : ''}${keyed}\n`,
    ...fields('Query', query),
    ...fields('Body', body),
    `${statusOf(endpoint)}${stream ? ': server-sent events' : reply ? `: ${nameOf(reply)}` : ''}\n`,
  ].join('\n')
}

interface Shape {
  title?: string
  type?: string
  properties?: Record<string, Shape>
  required?: string[]
  anyOf?: Shape[]
  items?: Shape
}

const fields = (name: string, schema: TSchema | undefined): string[] => {
  const { properties, required } = (schema ?? {}) as Shape
  if (!properties || Object.keys(properties).length === 0) return []
  return [
    `${name}: ${Object.keys(properties)
      .map((key) => one(key, properties, required))
      .join(', ')}\n`,
  ]
}

function one(key: string, properties: Record<string, Shape>, required: string[] = []): string {
  const nullable = properties[key]?.anyOf?.some(({ type }) => type === 'null')
  return `\`${key}\`${required.includes(key) ? '' : '?'}${nullable ? '|null' : ''}`
}

/** What a reply is: a record by its name, a list of it, or its members. */
function nameOf(schema: TSchema): string {
  const { title, properties = {} } = schema as Shape
  if (title) return title
  const of = properties.data?.items?.title
  if (of) return `list of ${of}`
  return `{ ${Object.keys(properties).join(', ')} }`
}

if (import.meta.main) writeFileSync(FILE, internalDocs())
