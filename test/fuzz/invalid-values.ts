import fc, { type Arbitrary } from 'fast-check'
import { arbitraryId, rawJson } from './arbitrary-values.ts'

/** Values that are invalid for almost any field, or only look valid. */
export const INVALID_VALUES: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udc00x',
    '\u0085',
    '\u2028',
    '\u007f',
    -1,
    0,
    1.5,
    -0,
    2 ** 31,
    rawJson('1e400'),
    rawJson('9007199254740993'),
    rawJson('-1E-400'),
    '5',
    true,
    [],
    {},
    [null],
    [[]],
    { a: 1 },
    ['x', 'x'],
    'true',
    'constructor',
    'toString',
    '2026-02-30',
    '0000-01-01',
    '10000-01-01',
    '2026-13-01',
    '2026-01-01T00:00:60Z',
    '2026-01-01t00:00:00z',
    '2026-01-01T00:00:00+2500',
    '2026-01-01T00:00:00+01',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+25:00',
    '1969-12-31',
    'x'.repeat(600),
    '𝒳'.repeat(501),
    Array(60).fill('x'),
    'FREQ=DAILY;COUNT=1000',
    '%',
    '_',
    'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3',
    'TSK_01K2M3N4P5Q6R7S8T9V0W1X2Y3',
    'ENG-1',
    'eng-1',
  ),
  fc.constantFrom('tsk', 'usr', 'tag', 'prj', 'cmt').chain(arbitraryId),
)

const READ_ONLY_FIELDS = [
  'id',
  'number',
  'workspace_id',
  'version',
  'role',
  'created_at',
  'short_id',
]
const UNKNOWN_FIELDS = ['unheard_of', '', 'constructor', 'hasOwnProperty', 'toString', 'title ']

/** Bodies with one mistake: an invalid value, a missing field, or an extra one. */
export function withOneMistake(body: Arbitrary<object>): Arbitrary<unknown> {
  return fc
    .tuple(body, fc.nat(), fc.nat({ max: 9 }), INVALID_VALUES)
    .map(([value, at, how, wrong]) => {
      const names = Object.keys(value)
      const name = names[at % Math.max(names.length, 1)] ?? 'title'
      const { [name]: original, ...rest } = value as Record<string, unknown>
      if (how === 0) return rest
      if (how === 1)
        return { ...value, [READ_ONLY_FIELDS[at % READ_ONLY_FIELDS.length] ?? 'id']: wrong }
      if (how === 2) return { ...value, [UNKNOWN_FIELDS[at % UNKNOWN_FIELDS.length] ?? 'x']: wrong }
      if (how === 3 && Array.isArray(original)) return { ...value, [name]: [...original, wrong] }
      if (how === 4 && original && typeof original === 'object')
        return { ...value, [name]: { ...original, a: wrong } }
      return { ...value, [name]: wrong }
    })
}

/** Bodies that are no JSON object; test/http/request-bodies.test.ts has malformed ones of each kind. */
export const INVALID_BODIES: Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom<string | Buffer>(
    '',
    '{}',
    '[]',
    'null',
    '{"title":"a","title":"b"}',
    '{"title":"\\ud800"}',
    '{"a":1e999}',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    `${'{"a":'.repeat(31)}1${'}'.repeat(31)}`,
    `{"title":"${'a'.repeat(1_048_000)}"}`,
    JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`x${at}`, at]))),
  ),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
)

/** Content types and codings that are refused, and spellings of the valid one. */
export const CONTENT_TYPE_HEADERS: Arbitrary<Record<string, string>> = fc.constantFrom<
  Record<string, string>
>(
  { 'content-type': 'text/plain' },
  { 'content-type': 'APPLICATION/JSON;charset="utf-8"' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-encoding': 'gzip' },
)

const QUERY_CHARACTERS = "abcdxyzABCXYZ0123456789-._~!$&'()*+,;=:@/?"
const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any valid query string. `fc.webQueryParameters` would do, but builds a table of all characters of
 * Unicode first, which takes two seconds.
 */
const ANY_QUERY: Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 10, arbitrary: fc.constantFrom(...QUERY_CHARACTERS) },
      fc
        .nat(0x10ffff - SURROGATES.count)
        .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count))
        .map(encodeURIComponent),
    ),
  )
  .map((characters) => characters.join(''))

/**
 * Query strings that are invalid, or mean something to a search of one engine. Lists, repeats and times
 * are in test/http/query-parameters.test.ts.
 */
export const INVALID_QUERIES: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'limit=0',
    'limit=1e1',
    'unheard_of=1',
    'cursor=a.b',
    'cursor=eyJ2IjoxfQ.AAAAAAAAAAAAAAAAAAAAAA',
    'sort=name,id',
    `q=${'a'.repeat(201)}`,
    'q=%00',
    'q=%ff',
    'q=%22a%22%20OR%20b*',
    'q=%25',
    'q=_',
    'q=a%20%26%20!b',
    "q='",
    'q=%ED%A0%80',
    'q=NEAR',
    'a=b=c',
    'id=ENG-1',
    'assignee_id=me,none',
    'after_sequence=99999999999999999999',
    'constructor=1',
  ),
  ANY_QUERY,
)
