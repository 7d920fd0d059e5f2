import fc, { type Arbitrary } from 'fast-check'
import { STATUS_KEY_PATTERN } from '#resources/projects/contract.ts'
import type { InputSchema } from '#wire/schema-parser.ts'

/** A placeholder for the n-th id of a kind that the lane knows when it sends the request. */
export const arbitraryId = (prefix: string): Arbitrary<string> =>
  fc.nat({ max: 40 }).map((at) => `@@${prefix}:${at}@@`)

/** A placeholder for JSON that `JSON.stringify` cannot write. */
export const rawJson = (json: string): string => `@@raw:${json}@@`

/** Values that a schema accepts, apart from rules that concern several fields. */
export function arbitraryValue(schema: InputSchema): Arbitrary<unknown> {
  const { anyOf, enum: words, pattern, type } = schema
  if (anyOf) {
    const others = anyOf.filter((one) => one.type !== 'null').map(arbitraryValue)
    const nullable = others.length < anyOf.length
    return fc.oneof(
      { arbitrary: fc.oneof(...others), weight: 4 },
      { arbitrary: nullable ? fc.constant(null) : fc.oneof(...others), weight: 1 },
    )
  }
  if (words) return fc.constantFrom(...words)
  if (pattern !== undefined) return arbitraryMatching(pattern)
  return ARBITRARIES_BY_TYPE[type ?? '']?.(schema) ?? fc.jsonValue({ maxDepth: 2 })
}

const ARBITRARIES_BY_TYPE: Record<string, (schema: InputSchema) => Arbitrary<unknown>> = {
  string: (schema) => ARBITRARIES_BY_FORMAT[schema.format ?? ''] ?? text(schema),
  boolean: () => fc.boolean(),
  integer: ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) =>
    fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 5_000) }),
      fc.constantFrom(minimum, maximum),
    ),
  number: () =>
    fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.constantFrom(0.1, 1e-7, 1e21, -0.5, Number.MAX_SAFE_INTEGER),
    ),
  array: ({ items = {}, minItems = 0, maxItems = 4 }) =>
    fc.oneof(
      {
        arbitrary: fc.uniqueArray(arbitraryValue(items), {
          minLength: minItems,
          maxLength: Math.max(minItems, Math.min(maxItems, 3)),
          comparator: 'SameValue',
        }),
        weight: 8,
      },
      { arbitrary: fc.array(arbitraryValue(items), { maxLength: 4 }), weight: 1 },
    ),
  object: (schema) => (schema.properties ? arbitraryFields(schema) : arbitraryMembers(schema)),
}

/** All required fields and a few optional ones; with all of them hardly any body would be valid. */
export function arbitraryFields({
  properties = {},
  required = [],
}: InputSchema): Arbitrary<object> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  const made = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, arbitraryValue(schema)]),
  )
  return fc
    .subarray(optional, { maxLength: Math.min(optional.length, 4) })
    .chain((some) =>
      fc.record(
        Object.fromEntries(
          [...required, ...some].map((name) => [name, made[name] ?? fc.constant(null)]),
        ),
      ),
    )
}

function arbitraryMembers({ propertyNames, additionalProperties }: InputSchema): Arbitrary<object> {
  const value =
    typeof additionalProperties === 'object' ? arbitraryValue(additionalProperties) : TEXT
  const name = arbitraryMatching(propertyNames?.pattern || '^[a-z]{1,5}$')
  const nullable = fc.oneof({ arbitrary: value, weight: 5 }, { arbitrary: NULL, weight: 1 })
  return fc.dictionary(name, nullable, { maxKeys: 3, noNullPrototype: true })
}

const NULL = fc.constant(null)
/** Code points of every kind, and texts with a meaning for collations, FTS and `like`. */
const TEXT = fc.oneof(
  { arbitrary: fc.string({ maxLength: 12 }), weight: 4 },
  { arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      'Ärger',
      'ärger',
      'STRASSE',
      'straße',
      'İstanbul',
      '100%',
      'a_b',
      'naïve',
      '日本語',
      "'; drop table tasks; --",
      '"a" OR *',
      'NEAR(a b)',
      'a & !b | c:*',
      '$1 ? \\',
      ' x ',
    ),
    weight: 2,
  },
)

const text = ({ minLength = 0, maxLength = 50 }: InputSchema): Arbitrary<string> =>
  fc.oneof(
    { arbitrary: TEXT, weight: 20 },
    {
      arbitrary: fc.constantFrom(
        'a'.repeat(minLength),
        '𝒳'.repeat(Math.min(maxLength, 600)),
        'é'.repeat(Math.min(maxLength + 1, 2_100)),
      ),
      weight: 1,
    },
  )

const DAYS = ['2026-03-01', '2026-03-31', '2024-02-29', '1970-01-01', '9999-12-31', '2026-02-28']
const day = fc.oneof(
  fc.constantFrom(...DAYS),
  fc.integer({ min: 0, max: 60 }).map((days) => dayAfter(days)),
)
const dayAfter = (days: number): string =>
  new Date(Date.UTC(2026, 1, 15 + days)).toISOString().slice(0, 10)
const time = fc
  .record({
    day,
    clock: fc.constantFrom('00:00:00', '09:30:15', '23:59:59.999', '12:00:00.123456789'),
    zone: fc.constantFrom('Z', 'z', '+00:00', '+0000', '-03:30', '-0330', '+14:00', '+01:00'),
  })
  .map((parts) => `${parts.day}T${parts.clock}${parts.zone}`)

const ARBITRARIES_BY_FORMAT: Record<string, Arbitrary<string>> = {
  date: day,
  'date-time': time,
  color: fc.constantFrom('#22c55e', '#ABCDEF', '#000000'),
  iri: fc.constantFrom(
    'https://example.com/hook',
    'https://example.com/ä?b=c',
    'http://127.0.0.1:1/x',
    'https://10.0.0.1/',
    'https://0x7f.1/',
    'https://localhost/',
    'https://a@b.example/',
  ),
  timezone: fc.constantFrom('Europe/Zurich', 'UTC'),
  rrule: fc.constantFrom(
    'FREQ=DAILY',
    'FREQ=WEEKLY;BYDAY=MO',
    'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=HOURLY',
    'FREQ=DAILY;UNTIL=20200101',
  ),
}

const STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'canceled', 'nowhere']
const PREFIX = /([a-z]{3})_\[0-9a-hjkmnp/

const SHORT_IDS = fc.constantFrom('ENG-1', 'eng-2', 'ENG-3', 'ENG-999')

/** Ids become placeholders for existing records; other values are generated from the pattern. */
function arbitraryMatching(pattern: string): Arbitrary<string> {
  const prefix = PREFIX.exec(pattern)?.[1]
  if (prefix !== undefined) {
    const words = ['me', 'none'].filter((word) => new RegExp(`\\b${word}\\|`).test(pattern))
    const isTaskName = pattern.includes('-[1-9]')
    const id = isTaskName ? fc.oneof(arbitraryId(prefix), SHORT_IDS) : arbitraryId(prefix)
    return words.length > 0 ? fc.oneof(id, fc.constantFrom(...words)) : id
  }
  if (pattern === STATUS_KEY_PATTERN) return fc.constantFrom(...STATUSES)
  return fc.stringMatching(new RegExp(pattern), { size: 'xsmall' })
}

/**
 * Encodes a query value. Placeholders stay unchanged; lone surrogates have no UTF-8 and are
 * replaced.
 */
export const encodeQueryValue = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%40%40(\w+)%3A(\d+)%40%40/g, '@@$1:$2@@')
