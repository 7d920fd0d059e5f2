import type { OpenApiDocument, Schema } from './document.ts'
import { type Row, rows } from './entry.ts'
import { type Html, html, line } from './html.ts'
import { fieldsOf } from './schema.ts'
import { inWords } from './words.ts'

/** The table of an object's fields. `required` is said only where a client writes them. */
export function fieldTable(
  openapi: OpenApiDocument,
  schema: Schema,
  is: { isRecord: (name: string) => boolean; written: boolean },
): Html {
  const list = fieldsOf(openapi, schema).map((field) =>
    fieldRow(field.name, is.written && field.required, field.schema, is.isRecord),
  )
  return rows(list)
}

/** The row of one field. What is required only within another field is said more quietly. */
function fieldRow(
  name: string,
  required: boolean,
  schema: Schema,
  isRecord: (name: string) => boolean,
): Row {
  const { description } = schema
  const within = name.includes('.')
  return {
    gutter: required && (within ? 'required' : html`<b>required</b>`),
    name: html`<code>${name}</code>`,
    text: html`<span class="kind">${inWords(schema, isRecord)}</span>${
      description && html`<span class="say">${line(description)}</span>`
    }`,
  }
}
