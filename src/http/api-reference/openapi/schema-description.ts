import { type Html, html, joinHtml, rawHtml } from '../html/html.ts'
import type { OpenApiSchema } from './openapi-types.ts'
import type { ReferenceContext } from './reference-context.ts'
import { refName, resolveInline, withoutNull } from './schema-fields.ts'
import { describeText, joinCode } from './text-descriptions.ts'

/** Describes the values of a schema: "string, 1 to 500 characters, or null". Records are links. */
export function describeSchema(nullableSchema: OpenApiSchema, context: ReferenceContext): Html {
  const { schema: reference, nullable } = withoutNull(nullableSchema)
  const schema = resolveInline(context, reference)
  const parts = [
    describeType(schema, context),
    ...describeLimits(schema),
    nullable && 'or null',
    schema.default !== undefined &&
      schema.default !== null &&
      html`default ${joinCode([schema.default])}`,
  ]
  return joinHtml(
    parts.filter((part) => part !== false && part !== ''),
    ', ',
  )
}

/** Describes a query parameter, in which commas separate several values. */
export function describeQueryParameter(schema: OpenApiSchema, context: ReferenceContext): Html {
  if (schema.type !== 'array' || !schema.items) return describeSchema(schema, context)
  const maxItems = schema.maxItems ? ` at most ${schema.maxItems}` : ''
  return html`${describeSchema(schema.items, context)}; several separated by commas,${maxItems || ' without spaces'}`
}

function describeType(schema: OpenApiSchema, context: ReferenceContext): Html | string {
  const name = refName(schema)
  if (name !== undefined) return describeReference(name, context)
  if (schema.const !== undefined) return joinCode([schema.const])
  if (schema.enum) return describeEnum(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (schema.discriminator) {
    const { propertyName, mapping = {} } = schema.discriminator
    return html`object whose <code>${propertyName}</code> is one of ${joinCode(Object.keys(mapping))}`
  }
  if (choices) {
    if (choices.every((choice) => choice.const !== undefined)) {
      return describeEnum(choices.map((choice) => choice.const))
    }
    return joinHtml(
      choices.map((choice) => describeWithin(choice, context)),
      ' or ',
    )
  }
  if (schema.type === 'array') return describeArray(schema, context)
  if (schema.type === 'object') return describeMap(schema, context)
  if (schema.type === 'string') return describeText(schema)
  const types = [schema.type ?? 'any value'].flat()
  return types.join(' or ')
}

/** A record, or the body of an operation. Other named schemas are described where they are used. */
function describeReference(name: string, { isRecord, findBodyOperation }: ReferenceContext): Html {
  if (isRecord(name)) return html`<a href="#${recordAnchor(name)}">${name}</a>`
  const operation = findBodyOperation(name)
  if (!operation) return html`${name}`
  return html`body of <a href="#${operationAnchor(operation)}">${operation.summary}</a>`
}

const describeEnum = (values: readonly unknown[]): Html =>
  values.length === 1 ? joinCode(values) : html`one of ${joinCode(values)}`

/** Objects with any keys, all of whose values have one schema. */
function describeMap(schema: OpenApiSchema, context: ReferenceContext): Html | string {
  const { additionalProperties: values, maxProperties } = schema
  if (typeof values !== 'object' || Object.keys(values).length === 0) return 'object'
  const size = maxProperties === undefined ? '' : ` of at most ${maxProperties} members`
  return html`object${size}, each ${describeWithin(values, context)}`
}

/** A value within a list or a choice, with its limits in brackets. */
function describeWithin(nullableSchema: OpenApiSchema, context: ReferenceContext): Html {
  const { schema: reference, nullable } = withoutNull(nullableSchema)
  const schema = resolveInline(context, reference)
  const limits = describeLimits(schema).filter((limit) => limit !== '')
  const bounds = limits.length > 0 && html` (${limits.join(', ')})`
  return html`${describeType(schema, context)}${bounds}${nullable && ' or null'}`
}

function describeArray({ items }: OpenApiSchema, context: ReferenceContext): Html | string {
  if (!items) return 'array'
  const words = describeWithin(items, context)
  if (words.html.startsWith('one of ')) return html`array, each ${words}`
  return html`array of ${pluralize(words)}`
}

const pluralize = (words: Html): Html =>
  rawHtml(words.html.replace(/ id$/, ' ids').replace(/^(?:string|object|date|timestamp)\b/, '$&s'))

function describeLimits(schema: OpenApiSchema): string[] {
  return [
    formatRange(schema.minLength, schema.maxLength, 'characters'),
    formatRange(schema.minimum, schema.maximum),
    formatRange(schema.minItems, schema.maxItems, 'items'),
    schema.uniqueItems ? 'no repeats' : '',
  ]
}

/** Bounds beyond which JSON numbers are inexact are those of the notation, not of the field. */
const isMeaningful = (bound: number | undefined) =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function formatRange(least: number | undefined, most: number | undefined, unit = ''): string {
  const low = isMeaningful(least) && !(unit && least === 0) ? least : undefined
  const high = isMeaningful(most) ? most : undefined
  const shown = (value: number) => `${value.toLocaleString('en')}${unit && ` ${unit}`}`
  if (low === undefined) return high === undefined ? '' : `at most ${shown(high)}`
  if (high === undefined) return `at least ${low === 1 ? shown(1).replace(/s$/, '') : shown(low)}`
  return low === high ? `exactly ${shown(low)}` : `${low.toLocaleString('en')} to ${shown(high)}`
}

/** The anchor of a record in the reference. */
export const recordAnchor = (name: string) => `record-${name.toLowerCase()}`

/** The anchor of an operation in the reference. */
export const operationAnchor = ({ operationId }: { readonly operationId: string }) =>
  `op-${operationId}`
