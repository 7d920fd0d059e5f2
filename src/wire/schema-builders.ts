import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox'
import type { FieldError, FieldErrorCode } from './field-error.ts'

/**
 * Options of the schema builders that contracts share. The schemas are JSON Schema: OpenAPI
 * contains them as they are, without the `x-` keys, and the schema parser validates input with
 * them. Formats of our own define how text is validated (docs/spec/api.md#strings-numbers-times).
 */
export interface SchemaOptions {
  /** Its name in the OpenAPI document, where others then reference it. */
  title?: string
  description?: string
  default?: unknown
  /** The value of a pattern in words, for error messages: "a project id, such as prj_01h…". */
  'x-expected'?: string
  /** For an option of the command line: its value if none is given. */
  'x-default-value'?: string
  /** For enums: replies may get more values; clients treat unknown ones as "other". */
  'x-open'?: boolean
  /** The schema in the OpenAPI document, where it says more than the one that validates. */
  'x-documented'?: TSchema
  /** The code of the field error, instead of the default one. */
  'x-fault'?: FieldErrorCode
  /** For objects: validates several fields together, with the unparsed values. */
  'x-together'?: (input: Readonly<Record<string, unknown>>) => FieldError[]
}

/** An object that rejects unknown fields. */
export const StrictObject = <P extends TProperties>(properties: P, rules: SchemaOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...rules })

/** An object of any members, which something else validates. */
export const AnyObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  propertyNames: { pattern: '' },
})

/**
 * A request body. Fields of `record` that the operation does not accept, and those in
 * `otherFields`, which other operations accept, are rejected as read-only instead of unknown. Each
 * pair in `exclusive` excludes the other; `crossField` validates several fields together, with the
 * unparsed values.
 */
export const RequestBody = <P extends TProperties>(
  properties: P,
  record: TObject,
  otherFields: readonly string[] = [],
  exclusive: readonly (readonly [string, string])[] = [],
  crossField: (input: Readonly<Record<string, unknown>>) => FieldError[] = () => [],
) => {
  const knownFields = [...Object.keys(record.properties), ...otherFields]
  return Type.Object(properties, {
    additionalProperties: false,
    'x-read-only': knownFields.filter((name) => !(name in properties)),
    'x-exclusive': exclusive,
    'x-together': crossField,
  })
}

export const Optional = Type.Optional
export const List = Type.Array
export const Flag = (rules: SchemaOptions = {}) => Type.Boolean({ ...rules })

export const Nullable = <S extends TSchema>(
  schema: S,
  rules: SchemaOptions = {},
): TUnion<[S, typeof Null]> => Type.Union([schema, Null], { ...rules })
const Null = Type.Null()

/** A schema with a name in the OpenAPI document, where others reference it. */
export const Named = <S extends TSchema>(
  title: string,
  schema: S,
  rules: SchemaOptions = {},
): S => ({
  ...schema,
  title,
  ...rules,
})

/** A named schema as one field: what the document says of the field beside the reference. */
export const FieldOf = <S extends TSchema>(
  schema: S,
  description: string,
  rules: { default?: unknown } = {},
): S => ({ ...schema, ...rules, 'x-field': description })

export const Integer = (minimum: number, maximum: number, rules: SchemaOptions = {}) =>
  Type.Integer({ minimum, maximum, ...rules })

/** One of the given strings. */
export const StringEnum = <const W extends readonly string[]>(
  words: W,
  rules: SchemaOptions = {},
) => Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...rules })

/** One line of text: trimmed, without control characters. Lengths are in code points. */
export const SingleLineText = (minLength: number, maxLength: number, rules: SchemaOptions = {}) =>
  Type.String({ format: 'line', minLength, maxLength, ...rules })

/** Markdown or plain text, stored exactly as sent. With a `minLength` it must not be blank. */
export const MultilineText = (minLength: number, maxLength: number, rules: SchemaOptions = {}) =>
  Type.String({ format: 'text', minLength, maxLength, ...rules })

/**
 * A text that matches a regular expression. Error messages say what is `expected` in words:
 * "must be " and then "a status key, such as in_progress".
 */
export const Pattern = (
  pattern: string,
  expected: string,
  rules: SchemaOptions & { minLength?: number; maxLength?: number } = {},
) => Type.String({ pattern, 'x-expected': expected, ...rules })

/** An object with free keys. `expected` describes a key: "of 1 to 40 letters". */
export const KeyPattern = (pattern: string, expected: string) => ({
  pattern,
  'x-expected': expected,
})

const ID_CHARACTERS = '[0-9a-hjkmnp-tv-z]{26}'

export const Id = (prefix: string, rules: SchemaOptions = {}) =>
  Type.String({
    pattern: `^${prefix}_${ID_CHARACTERS}$`,
    'x-expected': describeId(prefix),
    examples: [`${prefix}_01k2m3n4p5q6r7s8t9v0w1x2y3`],
    ...rules,
  })

/** The id of a task or its short id, in any case. */
const TASK_NAME = `tsk_${ID_CHARACTERS}|[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,15}`

/**
 * The id of a record in a request. Of a task it may be a short id (docs/spec/api.md#identifiers), which
 * the operation resolves (`resolveTaskId`).
 */
export const RequestId = (prefix: string, rules: SchemaOptions = {}) =>
  prefix === 'tsk'
    ? Type.String({
        ...Id(prefix, rules),
        pattern: `^(${TASK_NAME})$`,
        'x-expected': describeName(prefix),
      })
    : Id(prefix, rules)

const describeName = (prefix: string) =>
  prefix === 'tsk' ? `${describeId(prefix)} or ENG-42` : describeId(prefix)

/** An id, or one of some words, such as `me`. */
export const WordOrId = (words: readonly string[], prefix: string, rules: SchemaOptions = {}) =>
  Pattern(
    `^(${words.join('|')}|${prefix === 'tsk' ? TASK_NAME : `${prefix}_${ID_CHARACTERS}`})$`,
    `${words.join(', ')} or ${describeName(prefix)}`,
    rules,
  )

/** A SHA-256 hash in lower-case hexadecimal. */
export const Sha256 = (rules: SchemaOptions = {}) =>
  Pattern('^[0-9a-f]{64}$', 'a SHA-256 hash of 64 hexadecimal digits', rules)

/** What an id of each prefix identifies, with its article. */
const ID_NOUNS: Readonly<Record<string, string>> = {
  act: 'an activity',
  app: 'an application',
  att: 'an attachment',
  cmt: 'a comment',
  dlv: 'a delivery',
  evt: 'an event',
  exp: 'an export',
  grt: 'an authorization',
  imp: 'an import',
  inv: 'an invitation',
  key: 'an API key',
  ntf: 'a notification',
  opr: 'an operation',
  pky: 'a passkey',
  prj: 'a project',
  req: 'a request',
  ses: 'a session',
  tag: 'a tag',
  tme: 'a time entry',
  tpl: 'a template',
  tsk: 'a task',
  usr: 'a user',
  viw: 'a view',
  whk: 'a webhook',
  wsp: 'a workspace',
}

/** The id of a record, as its own field. */
export const RecordId = (prefix: string) =>
  Id(prefix, { description: `The id of the ${nounOf(prefix)}.` })

/** The path parameter `id` of an endpoint for one record. */
export const PathId = (prefix: string) => StrictObject({ id: RecordId(prefix) })

/** The path parameter of endpoints for one task, which also accept short ids. */
export const TaskPathId = StrictObject({
  id: Type.String({
    description: 'The id of the task, or its short id, such as `ENG-42`.',
    examples: ['ENG-42'],
  }),
})

/** What an id of a prefix identifies, without an article. */
export const nounOf = (prefix: string) => ID_NOUNS[prefix]?.replace(/^an? /, '') ?? 'record'

const describeId = (prefix: string) => `${ID_NOUNS[prefix] ?? 'an'} id, such as ${prefix}_01h…`

/** The id of a record in a body. A malformed id is an invalid reference, like an unknown one. */
export const IdReference = (prefix: string, rules: SchemaOptions = {}) =>
  RequestId(prefix, { 'x-fault': 'invalid_reference', ...rules })

/** Distinct values; replies have them in ascending order. */
export const UniqueList = <S extends TSchema>(
  items: S,
  maxItems: number,
  rules: SchemaOptions & { minItems?: number } = {},
) => Type.Array(items, { maxItems, uniqueItems: true, ...rules })

/** An email address: trimmed and lower-cased (docs/spec/api.md#internal-api-of-the-web-app). */
export const EmailAddress = () => Type.String({ format: 'email', maxLength: 254 })

/** The IANA name of a time zone. */
export const Timezone = () =>
  Type.String({ format: 'timezone', maxLength: 64, examples: ['Europe/Zurich'] })

/** A BCP 47 tag: the language of the interface and the format of dates. */
export const Locale = () => Type.String({ format: 'locale', maxLength: 35, examples: ['de-AT'] })

export const Timestamp = (rules: SchemaOptions = {}) =>
  Type.String({ format: 'date-time', ...rules })
export const CalendarDay = (rules: SchemaOptions = {}) => Type.String({ format: 'date', ...rules })
/** The gray of a project or tag without a color. */
export const DEFAULT_COLOR = '#6b7280'
export const Color = (rules: SchemaOptions = {}) => Type.String({ format: 'color', ...rules })

/** Search words: each must be a prefix of a word in the record (docs/spec/api.md#sorting-and-filters). */
export const SearchText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

const PAGING_PARAMETERS = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'The most records of a page. A page can have fewer, so rely on `has_more`.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The `next_cursor` of the previous page. Send the same filters and the same order with it.',
    }),
  ),
}

const SORT_DESCRIPTION =
  'The key to sort by; `-` before it reverses the order. Ties are sorted by id, and null comes last.'

/** The query parameters of a list: paging, sort keys (the first is the default) and filters. */
export const ListQuery = <const K extends readonly string[], P extends TProperties>(
  sorts: K,
  filters: P,
) => {
  type Key = K[number] extends infer S ? (S extends `-${infer N}` ? N : S & string) : never
  const sortValues = sorts.flatMap((key) => {
    const name = key.replace(/^-/, '')
    return key === name ? [name, `-${name}`] : [key, name]
  })
  const sort = Type.Optional(
    Type.Unsafe<Key | `-${Key}`>({
      type: 'string',
      enum: sortValues,
      description: 'A key to sort by. `-` before it reverses the order.',
      'x-field': SORT_DESCRIPTION,
      default: sorts[0],
    }),
  )
  return StrictObject({ ...PAGING_PARAMETERS, sort, ...filters })
}

/** One or more values of a query parameter, which are separated by commas, or the parameter is repeated. */
export const CommaSeparated = <S extends TSchema>(
  items: S,
  rules: SchemaOptions & { maxItems?: number } = {},
) => Type.Optional(Type.Array(items, { minItems: 1, maxItems: 50, uniqueItems: true, ...rules }))

/** A page of a list; `TaskPage` in the OpenAPI document if the record is a `Task`. */
export const PageOf = <S extends TSchema>(record: S) =>
  StrictObject(
    {
      data: Type.Array(record, { description: 'The records of this page, at most `limit`.' }),
      next_cursor: Type.Union([Type.String(), Type.Null()], {
        description: 'Send it as `cursor` to get the next page. Null on the last page.',
      }),
      has_more: Type.Boolean({ description: 'Whether there is another page.' }),
    },
    'title' in record
      ? { title: `${record.title}Page`, description: `One page of a list of \`${record.title}\`.` }
      : {},
  )

export const PagingQuery = StrictObject(PAGING_PARAMETERS)

export type { Static }
