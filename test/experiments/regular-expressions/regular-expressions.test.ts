import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseIfMatch, parseIfNoneMatch } from '#http/reply/conditional-requests.ts'
import { createQueryParser } from '#http/request/query-parameters.ts'
import { foldCase } from '#lib/fold-case.ts'
import { normalizeAddress } from '#lib/ip-address.ts'
import { isRecurrenceRule, nextDueDate } from '#lib/recurrence.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { parseMentions } from '#resources/comments/operations.ts'
import { validateWebhookTarget } from '#resources/webhooks/operations.ts'
import { routes } from '#server/routes.ts'
import { createSchemaParser, type InputSchema } from '#wire/schema-parser.ts'
import { endpointName } from '../../support/api/endpoint-requests.ts'
import { findSlowestText, listPatterns, measureFastestRun } from './regular-expressions.ts'

/** Twice the promise for the worst input: on a busy machine the same work takes more processor time. */
const MAX_MS = 40

test('every regular expression handles its worst text within the limit', () => {
  const located = listPatterns()
  assert.ok(located.length > 80)
  const slow = located.flatMap(({ where, ...one }) => {
    const { ms, text } = findSlowestText(one, MAX_MS)
    return ms > MAX_MS ? [`${where}: ${ms.toFixed()} ms for ${text}`] : []
  })
  assert.deepEqual(slow, [])
})

const LONGEST_BODY = 1_000_000
const REPEATED_UNITS = [
  'a',
  ' ',
  '\u0301',
  'e\u0301',
  '😀',
  '\ud800',
  '\n',
  '<@usr_',
  'ﷺ',
  'İ',
  '日',
  '-',
  '0',
  '%',
  '"',
  ',',
  '; ',
  ';BYDAY=MO',
  'FREQ=DAILY;',
  ',MO',
  '1,',
  'a.',
  '::',
  'ᄀ',
  '\u0344',
  '//',
  '@',
]
const repeatUnits = (length: number) =>
  REPEATED_UNITS.map((unit) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length))

const findSlowTexts = (work: (text: string) => unknown, texts: readonly string[]): string[] =>
  texts.flatMap((text) => {
    const ms = measureFastestRun(() => work(text), MAX_MS)
    return ms > MAX_MS ? [`${ms.toFixed()} ms for ${JSON.stringify(text.slice(0, 20))}`] : []
  })

/** Numbers functions, which JSON has no form for. */
const functionNumbers = new Map<unknown, number>()

/** Identifies the schema of a value. Descriptions do not affect parsing. */
const schemaKey = (...schemas: unknown[]): string =>
  JSON.stringify(schemas, (name, value: unknown) => {
    if (name === 'description' && typeof value === 'string') return undefined
    if (typeof value !== 'function') return value
    return functionNumbers.getOrInsert(value, functionNumbers.size)
  })

test('parses the worst value of every body field within the limit', () => {
  const texts = repeatUnits(LONGEST_BODY)
  const parsed = new Set<string>()
  for (const { endpoint } of routes) {
    const { properties = {}, 'x-together': rules } = (endpoint.body ?? {}) as InputSchema
    if (!endpoint.body) continue
    const read = createSchemaParser(endpoint.body)
    for (const [name, schema] of Object.entries(properties)) {
      // Many endpoints share the schema of a field, which is parsed alike in all of them.
      const key = schemaKey(schema, rules)
      if (parsed.has(key)) continue
      parsed.add(key)
      const label = `${endpointName(endpoint)} ${name}`
      assert.deepEqual(
        findSlowTexts((text) => read({ [name]: text }), texts),
        [],
        label,
      )
    }
  }
  assert.ok(parsed.size > 80, `${parsed.size} schemas`)
})

test('parses the worst query, conditional header and client address within the limit', () => {
  const long = repeatUnits(8_192)
  const ignoreErrors = (work: () => unknown) => {
    try {
      work()
    } catch {
      // Only the time matters here, not the error.
    }
  }
  const parsed = new Set<string>()
  for (const { endpoint } of routes) {
    const key = schemaKey(endpoint.query, endpoint.dryRun)
    if (parsed.has(key)) continue
    parsed.add(key)
    const read = createQueryParser(endpoint)
    const { properties = {} } = (endpoint.query ?? {}) as { properties?: object }
    const names = Object.keys(properties)
    const texts = long.flatMap((text) => [text, ...names.map((name) => `${name}=${text}`)])
    const joined = ['limit=1&', 'a&', 'a=b&', '=&', '&'].map((one) => one.repeat(1_024))
    assert.deepEqual(
      findSlowTexts((text) => ignoreErrors(() => read(text)), [...texts, ...joined]),
      [],
      endpointName(endpoint),
    )
  }
  const headers = [
    ...repeatUnits(16_384),
    '"a",'.repeat(4_096),
    'W/"a", '.repeat(2_048),
    '\t"'.repeat(8_192),
  ]
  assert.deepEqual(
    findSlowTexts(
      (text) => ignoreErrors(() => [parseIfMatch(text, 'compared'), parseIfNoneMatch(text)]),
      headers,
    ),
    [],
  )
  const addresses = repeatUnits(4_096).flatMap((text) => [text, `${text}:`, `::${text}`])
  assert.deepEqual(findSlowTexts(normalizeAddress, addresses), [])
})

test('folds and searches the longest texts within the limit', () => {
  const marks = `a${'\u0301'.repeat(32_767)}${'\u0316'.repeat(32_768)}`
  const words = ['a ', '!', 'Σ', 'ｶﾞ', 'a\u0301\u0316', '漢\u{e0100}', 'ความ', 'ก']
  const letters = String.fromCodePoint(...Array.from({ length: 32_000 }, (_, n) => 0x20000 + n))
  const more = words.map((unit) => unit.repeat(65_536 / unit.length))
  const texts = [...repeatUnits(65_536), ...more, marks, letters]
  assert.deepEqual(findSlowTexts(foldCase, texts), [])
  assert.deepEqual(findSlowTexts(extractSearchWords, texts), [])
  assert.deepEqual(
    findSlowTexts(parseMentions, [...texts, '<@usr_01k2m3n4p5q6r7s8t9v0w1x2y3>'.repeat(2_048)]),
    [],
  )
  const targets = { networks: [], loopback: false }
  const urls = repeatUnits(2_000).map((text) => `https://${text}.example/${text}`)
  assert.deepEqual(
    findSlowTexts((url) => URL.canParse(url) && validateWebhookTarget(url, targets), urls),
    [],
  )
})

test('validates every recurrence rule and computes its next date within the limit', () => {
  const part = fc.oneof(
    fc.integer({ min: 0, max: 1_000 }).map((n) => `INTERVAL=${n}`),
    fc.subarray(['MO', '-1TU', '5WE', '53TH', '-53FR', 'SU']).map((days) => `BYDAY=${days}`),
    fc.uniqueArray(fc.integer({ min: -31, max: 31 })).map((days) => `BYMONTHDAY=${days}`),
    fc.uniqueArray(fc.integer({ min: 1, max: 12 })).map((months) => `BYMONTH=${months}`),
    fc.uniqueArray(fc.integer({ min: -366, max: 366 })).map((days) => `BYSETPOS=${days}`),
    fc.constantFrom('WKST=SU', 'COUNT=999', 'UNTIL=99991231', 'UNTIL=20200101'),
  )
  const rule = fc
    .tuple(
      fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      fc.array(part, { maxLength: 6 }),
    )
    .map(([freq, parts]) => [`FREQ=${freq}`, ...parts].join(';').slice(0, 200))
  const rules = [
    ...fc.sample(rule, { numRuns: 2_000, seed: 1 }),
    'FREQ=DAILY;BYDAY=MO;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=2',
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=DAILY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
    'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO,SU;BYSETPOS=3',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366,-366,365,-365',
    'FREQ=YEARLY;BYMONTHDAY=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28;BYSETPOS=366,365,364,363,362,361,360,359,358,357,356,355,-366,-365,-364,-363,-362,-361,-360',
    'FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=YEARLY;INTERVAL=3;BYMONTH=2',
    'FREQ=YEARLY;BYMONTH=2',
    'FREQ=DAILY',
    'FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
    'FREQ=DAILY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  ]
  const reckoning = { basis: 'due_date', due_date: '1970-01-01', today: '9998-12-31' } as const
  assert.deepEqual(
    findSlowTexts((text) => isRecurrenceRule(text) && nextDueDate(text, reckoning), rules),
    [],
  )
})
