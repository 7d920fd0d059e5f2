import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allowedBy, had } from '#http/conditions.ts'
import { parametersOf } from '#http/parameters.ts'
import { fold } from '#lib/fold.ts'
import { isRule, nextDay } from '#lib/recurrence.ts'
import { wordsOf } from '#lib/words.ts'
import { namedIn } from '#resources/comments/mentions.ts'
import { faultsOfTarget } from '#resources/webhooks/target.ts'
import { readerOf } from '#wire/read.ts'
import { routes } from '../../src/app.ts'
import { patterns, quickest, slowest } from './patterns.ts'
import { nameOf } from './world/requests.ts'

/** Milliseconds that the worst input may take (reliability I13). */
const PATIENCE = 20

test('every regular expression is done with the worst text in no time', () => {
  const known = patterns()
  assert.ok(known.length > 80)
  const slow = known.flatMap(({ where, ...one }) => {
    const { ms, text } = slowest(one, PATIENCE)
    return ms > PATIENCE ? [`${where}: ${ms.toFixed()} ms for ${text}`] : []
  })
  assert.deepEqual(slow, [])
})

test('a regular expression that backtracks without end is found out', () => {
  const { ms } = slowest({ pattern: /(a+)+$/, longest: 65_536 }, PATIENCE)
  assert.ok(ms > PATIENCE)
})

const MIB = 1_000_000
const UNITS = [
  ...['a', ' ', '\u0301', 'e\u0301', '😀', '\ud800', '\n', '<@usr_', 'ﷺ', 'İ', '日', '-', '0', '%'],
  ...[
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
  ],
]
const worst = (length: number) =>
  UNITS.map((unit) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length))

const slowOf = (work: (text: string) => unknown, texts: readonly string[]): string[] =>
  texts.flatMap((text) => {
    const ms = quickest(() => work(text), PATIENCE)
    return ms > PATIENCE ? [`${ms.toFixed()} ms for ${JSON.stringify(text.slice(0, 20))}`] : []
  })

test('every field of every body is read in no time, whatever it holds', () => {
  const texts = worst(MIB)
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 'v']))
  for (const { endpoint } of routes) {
    const { properties = {} } = (endpoint.body ?? {}) as { properties?: object }
    if (!endpoint.body) continue
    const read = readerOf(endpoint.body)
    for (const name of Object.keys(properties)) {
      const label = `${nameOf(endpoint)} ${name}`
      assert.deepEqual(
        slowOf((text) => read({ [name]: text }), texts),
        [],
        label,
      )
      for (const value of [many, Array(300_000).fill('x'), Array(100_000).fill({})]) {
        // Merely to list 100,000 members takes about 20 ms.
        const ms = quickest(() => read({ [name]: value }), 5 * PATIENCE)
        assert.ok(ms <= 5 * PATIENCE, label)
      }
    }
  }
})

test('every query and every condition is read in no time', () => {
  const long = worst(8_192)
  const quietly = (work: () => unknown) => {
    try {
      work()
    } catch {
      // What it says is not asked here, only how long it takes.
    }
  }
  for (const { endpoint } of routes) {
    const read = parametersOf(endpoint)
    const { properties = {} } = (endpoint.query ?? {}) as { properties?: object }
    const names = Object.keys(properties)
    const texts = long.flatMap((text) => [text, ...names.map((name) => `${name}=${text}`)])
    const joined = ['limit=1&', 'a&', 'a=b&', '=&', '&'].map((one) => one.repeat(1_024))
    assert.deepEqual(
      slowOf((text) => quietly(() => read(text)), [...texts, ...joined]),
      [],
      nameOf(endpoint),
    )
  }
  const headers = [
    ...worst(16_384),
    '"a",'.repeat(4_096),
    'W/"a", '.repeat(2_048),
    '\t"'.repeat(8_192),
  ]
  assert.deepEqual(
    slowOf((text) => quietly(() => [allowedBy(text, 'compared'), had(text)]), headers),
    [],
  )
})

test('the longest texts are folded, searched and looked through in no time', () => {
  const texts = worst(65_536)
  assert.deepEqual(slowOf(fold, texts), [])
  assert.deepEqual(slowOf(wordsOf, texts), [])
  assert.deepEqual(
    slowOf(namedIn, [...texts, '<@usr_01k2m3n4p5q6r7s8t9v0w1x2y3>'.repeat(2_048)]),
    [],
  )
  const targets = { allowHttp: false, networks: [], loopback: false }
  const urls = worst(2_000).map((text) => `https://${text}.example/${text}`)
  assert.deepEqual(
    slowOf((url) => URL.canParse(url) && faultsOfTarget(url, targets), urls),
    [],
  )
})

test('every rule of recurrence is judged, and its next day found, in no time', () => {
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
    'FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
    'FREQ=DAILY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  ]
  const reckoning = { basis: 'due_date', due_date: '1970-01-01', today: '9998-12-31' } as const
  assert.deepEqual(
    slowOf((text) => isRule(text) && nextDay(text, reckoning), rules),
    [],
  )
})
