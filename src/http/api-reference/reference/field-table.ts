import { type Html, html, renderInline } from '../html/html.ts'
import { type DefinitionRow, definitionList } from '../html/page-section.ts'
import type { OpenApiSchema } from '../openapi/openapi-types.ts'
import type { ReferenceContext } from '../openapi/reference-context.ts'
import { describeSchema } from '../openapi/schema-description.ts'
import { listSchemaFields, resolveInline, type SchemaField } from '../openapi/schema-fields.ts'

/** The table of an object's fields. Marks required fields only in bodies that clients write. */
export function fieldTable(
  context: ReferenceContext,
  schema: OpenApiSchema,
  options: { written: boolean },
): Html {
  const fieldRows = listSchemaFields(context, schema).map((field) =>
    fieldRow(context, { ...field, required: options.written && field.required }),
  )
  return definitionList(fieldRows)
}

/** The row of a field. Fields that are required only within another field are not bold. */
function fieldRow(
  context: ReferenceContext,
  { name, required, schema }: SchemaField,
): DefinitionRow {
  const { description } = resolveInline(context, schema)
  const isNested = name.includes('.')
  return {
    gutter: required && (isNested ? 'required' : html`<b>required</b>`),
    name: html`<code>${withBreaks(name)}</code>`,
    text: html`<span class="kind">${describeSchema(schema, context)}</span>${
      description && html`<span class="say">${renderInline(description)}</span>`
    }`,
  }
}

/** Allows line breaks within a path such as `operations[op=create].data`. */
const withBreaks = (path: string): Html =>
  html`${path.split(/(?=[.[])/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}`
