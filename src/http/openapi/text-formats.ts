import type { OpenApiSchema } from '../api-reference/openapi/openapi-types.ts'
import type { SchemaUse } from './schema-converter.ts'

/** Control characters and line separators, as the inside of a character class. */
const LINE_BREAKING = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029'
/** Control characters but TAB, LF and CR. */
const CONTROL = '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'

/** Any characters but the forbidden ones; if the text must not be blank, one that is no space. */
const textPattern = (forbidden: string, { minLength = 0 }: OpenApiSchema) =>
  minLength > 0 ? `^[^${forbidden}]*[^\\s${forbidden}][^${forbidden}]*$` : `^[^${forbidden}]*$`

/** The patterns of free text, which the pages describe in words instead. */
export const isTextPattern = (pattern: string) =>
  pattern.includes(`[^${LINE_BREAKING}`) || pattern.includes(`[^${CONTROL}`)

/** Free text has a pattern in requests alone: nobody needs to validate what Docket returns. */
const freeText = (forbidden: string) => (schema: OpenApiSchema, use: SchemaUse) =>
  use === 'reply' || schema.pattern !== undefined ? {} : { pattern: textPattern(forbidden, schema) }

/**
 * The formats of the input validation (docs/spec/api.md#strings-numbers-times) as keywords of JSON
 * Schema. The empty format is a line that is not trimmed.
 */
export const TEXT_FORMATS: Readonly<
  Record<string, (schema: OpenApiSchema, use: SchemaUse) => OpenApiSchema>
> = {
  '': freeText(LINE_BREAKING),
  line: freeText(LINE_BREAKING),
  filename: freeText(`${LINE_BREAKING}/\\\\`),
  text: freeText(CONTROL),
  raw: () => ({}),
  color: (_, use) => ({ pattern: use === 'reply' ? '^#[0-9a-f]{6}$' : '^#[0-9A-Fa-f]{6}$' }),
  // Without `format: uri`: generators that have a type for it cannot check its length.
  iri: () => ({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }),
  rrule: () => ({}),
  timezone: () => ({}),
  locale: () => ({}),
}
