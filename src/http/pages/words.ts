import type { Schema } from './document.ts'
import { type Html, html, joined, verbatim } from './html.ts'
import { refName, withoutNull } from './schema.ts'

/** Says which values a schema allows: "string, 1 to 500 characters, or null". Records are links. */
export function inWords(whole: Schema, isRecord: (name: string) => boolean): Html {
  const { schema, nullable } = withoutNull(whole)
  const parts = [
    kind(schema, isRecord),
    ...limits(schema),
    nullable && 'or null',
    schema.default !== undefined &&
      schema.default !== null &&
      html`default ${codes([schema.default])}`,
  ]
  return joined(
    parts.filter((part) => part !== false),
    ', ',
  )
}

/** The same for a query parameter, where several values stand in one, separated by commas. */
export function inWordsOfQuery(schema: Schema, isRecord: (name: string) => boolean): Html {
  if (schema.type !== 'array' || !schema.items) return inWords(schema, isRecord)
  const most = schema.maxItems ? ` at most ${schema.maxItems}` : ''
  return html`${inWords(schema.items, isRecord)}; several separated by commas,${most || ' without spaces'}`
}

function kind(schema: Schema, isRecord: (name: string) => boolean): Html | string {
  const name = refName(schema)
  if (name) return isRecord(name) ? html`<a href="#${recordAnchor(name)}">${name}</a>` : name
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return html`one of ${codes(schema.enum)}`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    if (choices.every((choice) => choice.const !== undefined)) {
      return html`one of ${codes(choices.map((choice) => choice.const))}`
    }
    return joined(
      choices.map((choice) => inWords(choice, isRecord)),
      ' or ',
    )
  }
  if (schema.type === 'array') {
    return schema.items ? html`array of ${plural(inWords(schema.items, isRecord))}` : 'array'
  }
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    return html`object of ${inWords(schema.additionalProperties, isRecord)}`
  }
  if (schema.type === 'string') return kindOfString(schema)
  const types = [schema.type ?? 'any value'].flat()
  return types.join(' or ')
}

function kindOfString({ pattern = '', format = '' }: Schema): Html | string {
  const [, prefix] = /^\^([a-z]{3})_/.exec(pattern) ?? []
  return prefix ? html`<code>${prefix}_</code> id` : (FORMATS[format] ?? 'string')
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'timestamp',
  color: 'colour',
  uri: 'URL',
  line: 'string of one line',
}

const plural = (words: Html): Html => verbatim(words.html.replace(/ id$/, ' ids'))

function limits(schema: Schema): (Html | string)[] {
  const { pattern = '' } = schema
  const plain = kindOfString(schema) === 'string'
  return [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems, 'items'),
    schema.uniqueItems ? 'no repeats' : '',
    pattern && plain ? html`matching <code>${pattern}</code>` : '',
  ].filter((part) => part !== '')
}

function range(least: number | undefined, most: number | undefined, unit = ''): string {
  const low = unit && least === 0 ? undefined : least
  const shown = (value: number) => `${value.toLocaleString('en')}${unit && ` ${unit}`}`
  if (low === undefined) return most === undefined ? '' : `at most ${shown(most)}`
  if (most === undefined) return `at least ${low === 1 ? shown(1).replace(/s$/, '') : shown(low)}`
  return low === most ? `exactly ${shown(low)}` : `${low.toLocaleString('en')} to ${shown(most)}`
}

const codes = (values: readonly unknown[]) =>
  joined(
    values.map(
      (value) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`,
    ),
    ', ',
  )

/** Where a record's section stands in the reference. */
export const recordAnchor = (name: string) => `record-${name.toLowerCase()}`
