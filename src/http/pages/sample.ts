import type { OpenApiDocument, Schema } from './document.ts'
import { propertiesOf, requiredOf, resolved, withoutNull } from './schema.ts'

/**
 * A body that an operation would take: the required fields, else the first one. Ids are shell
 * variables such as `$PROJECT_ID`, because nobody can paste an id that exists.
 */
export function sampleBody(openapi: OpenApiDocument, schema: Schema): Record<string, unknown> {
  const properties = propertiesOf(openapi, schema)
  const required = requiredOf(openapi, schema)
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(
    names.map((name) => [name, sample(openapi, properties[name] ?? {}, name)]),
  )
}

/** The shell variable that stands for an id with this prefix: `TASK_ID` for `tsk`. */
const variableOf = (prefix: string) => `${NOUNS[prefix] ?? prefix.toUpperCase()}_ID`

function sample(openapi: OpenApiDocument, whole: Schema, name: string): unknown {
  const schema = withoutNull(resolved(openapi, whole)).schema
  const [example = schema.const ?? schema.enum?.[0] ?? schema.default] = schema.examples ?? []
  const [, prefix] = /^\^([a-z]{3})_/.exec(schema.pattern ?? '') ?? []
  if (prefix) return `$${variableOf(prefix)}`
  if (example !== undefined && example !== null) return example
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice && !schema.properties) return sample(openapi, choice, name)
  switch (schema.type) {
    case 'string':
      return TEXTS[name] ?? TEXTS[schema.format ?? ''] ?? 'text'
    case 'integer':
    case 'number':
      return NUMBERS[name] ?? schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return schema.items ? [sample(openapi, schema.items, name)] : []
    default:
      return schema.properties ? sampleBody(openapi, schema) : {}
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  prj: 'PROJECT',
  tsk: 'TASK',
  cmt: 'COMMENT',
  tme: 'TIME_ENTRY',
  tag: 'TAG',
  usr: 'USER',
  whk: 'WEBHOOK',
  dlv: 'DELIVERY',
  evt: 'EVENT',
  att: 'ATTACHMENT',
}

const TEXTS: Readonly<Record<string, string>> = {
  title: 'Ship the importer',
  name: 'Urgent',
  body: 'The importer runs on staging.',
  url: 'https://example.com/hook',
  color: '#22c55e',
  filename: 'notes.txt',
  date: '2026-03-31',
  'date-time': '2026-03-31T09:00:00Z',
}

const NUMBERS: Readonly<Record<string, number>> = { duration_seconds: 1800 }
