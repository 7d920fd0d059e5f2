import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox'
import type { Fault, FaultCode } from './fault.ts'

/**
 * Building stones that contracts share. They are JSON Schema, so OpenAPI prints them as they are;
 * `read.ts` reads input by them. Formats of our own tell how a text is checked (contract 1.4).
 */
export interface Rules {
  description?: string
  default?: unknown
  /** The code of the fault when the value is not what it must be, where it is not the usual one. */
  'x-fault'?: FaultCode
  /** Of an object: judges, as sent, which fields stand together. */
  'x-together'?: (given: Readonly<Record<string, unknown>>) => Fault[]
}

/** An object that refuses every field it does not name. */
export const Fields = <P extends TProperties>(properties: P, rules: Rules = {}) =>
  Type.Object(properties, { additionalProperties: false, ...rules })

/**
 * The body of an operation. What `record` shows but the operation does not take, and the names in
 * `others` (taken elsewhere), are refused as read-only rather than as unknown; the pairs in `apart`
 * exclude each other; `together` judges, as sent, which fields stand together.
 */
export const Body = <P extends TProperties>(
  properties: P,
  record: TObject,
  others: readonly string[] = [],
  apart: readonly (readonly [string, string])[] = [],
  together: (given: Readonly<Record<string, unknown>>) => Fault[] = () => [],
) => {
  const known = [...Object.keys(record.properties), ...others]
  return Type.Object(properties, {
    additionalProperties: false,
    'x-read-only': known.filter((name) => !(name in properties)),
    'x-apart': apart,
    'x-together': together,
  })
}

export const Optional = Type.Optional
export const List = Type.Array
export const Flag = (rules: Rules = {}) => Type.Boolean({ ...rules })

export const Nullable = <S extends TSchema>(
  schema: S,
  rules: Rules = {},
): TUnion<[S, typeof Null]> => Type.Union([schema, Null], { ...rules })
const Null = Type.Null()

export const Whole = (minimum: number, maximum: number, rules: Rules = {}) =>
  Type.Integer({ minimum, maximum, ...rules })

/** One of some words. */
export const OneOf = <const W extends readonly string[]>(words: W, rules: Rules = {}) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...rules })

/** Text of one line: trimmed, no control characters. Lengths are in code points. */
export const Line = (minLength: number, maxLength: number, rules: Rules = {}) =>
  Type.String({ format: 'line', minLength, maxLength, ...rules })

/** Markdown or a note, kept exactly as sent. With a `minLength` it must hold more than white space. */
export const Text = (minLength: number, maxLength: number, rules: Rules = {}) =>
  Type.String({ format: 'text', minLength, maxLength, ...rules })

export const Pattern = (pattern: string, rules: Rules = {}) => Type.String({ pattern, ...rules })

export const Id = (prefix: string, rules: Rules = {}) =>
  Type.String({
    pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`,
    examples: [`${prefix}_01k2m3n4p5q6r7s8t9v0w1x2y3`],
    ...rules,
  })

/** An id in a body: what is malformed names nothing. */
export const Reference = (prefix: string, rules: Rules = {}) =>
  Id(prefix, { 'x-fault': 'invalid_reference', ...rules })

/** Distinct values; in replies in ascending order. */
export const SetOf = <S extends TSchema>(
  items: S,
  maxItems: number,
  rules: Rules & { minItems?: number } = {},
) => Type.Array(items, { maxItems, uniqueItems: true, ...rules })

/** An e-mail address: trimmed and lower-cased (contract 9). */
export const Email = (rules: Rules = {}) =>
  Type.String({ format: 'email', maxLength: 254, ...rules })

/** An IANA name. */
export const Timezone = (rules: Rules = {}) =>
  Type.String({ format: 'timezone', maxLength: 64, examples: ['Europe/Zurich'], ...rules })

/** A BCP 47 tag: how somebody's texts and dates are written. */
export const Locale = (rules: Rules = {}) =>
  Type.String({ format: 'locale', maxLength: 35, examples: ['de-AT'], ...rules })

export const Timestamp = (rules: Rules = {}) => Type.String({ format: 'date-time', ...rules })
export const Day = (rules: Rules = {}) => Type.String({ format: 'date', ...rules })
export const Color = (rules: Rules = {}) => Type.String({ format: 'color', ...rules })

/** Words to search for: every one must begin a word of the record (contract 3.3). */
export const Search = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Words; each must begin a word found.',
  }),
)

const PAGING = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(
    Type.String({ description: 'The `next_cursor` of the page before, returned unchanged.' }),
  ),
}

/** Query parameters of a list: paging, its sort keys (the first is the default), and its filters. */
export const ListQuery = <const K extends readonly string[], P extends TProperties>(
  sorts: K,
  filters: P,
) => {
  type Key = K[number] extends infer S ? (S extends `-${infer N}` ? N : S & string) : never
  const names = sorts.flatMap((key) => {
    const name = key.replace(/^-/, '')
    return key === name ? [name, `-${name}`] : [key, name]
  })
  const sort = Type.Optional(
    Type.Unsafe<Key | `-${Key}`>({ type: 'string', enum: names, default: sorts[0] }),
  )
  return Fields({ ...PAGING, sort, ...filters })
}

/** Several values in one parameter, separated by commas. */
export const OneOrMore = <S extends TSchema>(items: S, maxItems = 50, rules: Rules = {}) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems, uniqueItems: true, ...rules }))

export const PageOf = <S extends TSchema>(record: S) =>
  Fields({
    data: Type.Array(record),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  })

export const PagingOnly = Fields(PAGING)

export type { Static }
