import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { routes } from '#server/routes.ts'

/** A regular expression of Docket, its location, and the maximum length of its input. */
export interface LocatedPattern {
  pattern: RegExp
  where: string
  maxLength: number
}

/** Matches regular expression literals in source without comments. */
const REGEX_LITERAL =
  /(?<=[=(,:!&|?[{;\s]\s?|^)\/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[\s.,;)\]}]|$)/gm

/** Maximum input lengths: passwords, durations, addresses, operators' and own texts, header fields, bodies. */
const MAX_LENGTHS: readonly [RegExp, number][] = [
  [/password-policy/, 512],
  [/typed-duration/, 64],
  [/ip-address\.ts/, 2_048],
  [/^src\/http\/api-reference\//, 2_048],
  [/^src\/(cli|config|demo|db)\//, 2_048],
  [/^src\/http\//, 16_384],
  [/^src\//, 65_536],
]

/**
 * Lists all regular expressions of the server: literals, and patterns of its schemas. Of those with
 * the same source and maximum length only the first is listed.
 */
export function listPatterns(): LocatedPattern[] {
  const literals = globSync('src/**/*.ts').flatMap((file) => {
    if (file.endsWith('.test.ts')) return []
    const source = readFileSync(file, 'utf8').replace(/^\s*(\/\*\*?|\*|\/\/).*$/gm, '')
    const maxLength = MAX_LENGTHS.find(([files]) => files.test(file))?.[1] ?? 65_536
    return [...source.matchAll(REGEX_LITERAL)].map(([all, body = '', flags]) => ({
      pattern: new RegExp(body, flags),
      where: `${file}: ${all}`,
      maxLength,
    }))
  })
  const schemas = new Set<string>()
  for (const { endpoint } of routes) {
    collectPatterns(endpoint.params, schemas)
    collectPatterns(endpoint.query, schemas)
    collectPatterns(endpoint.body, schemas)
  }
  const named = [...schemas].map((source) => ({
    pattern: new RegExp(source, 'u'),
    where: `schemas: ${source}`,
    maxLength: 65_536,
  }))
  const distinct = Map.groupBy(
    [...literals, ...named],
    ({ pattern, maxLength }) => `${pattern} ${maxLength}`,
  )
  return [...distinct.values()].flatMap(([first]) => first ?? [])
}

function collectPatterns(schema: unknown, sources: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, one] of Object.entries(schema)) {
    if (name === 'pattern' && typeof one === 'string') sources.add(one)
    else collectPatterns(one, sources)
  }
}

const SAMPLE_COUNT = 4
const COMMON_SIGNS = [
  'a',
  'A',
  '0',
  ' ',
  '-',
  '.',
  ',',
  ';',
  '"',
  '\\',
  '/',
  ':',
  '=',
  '\t',
  '@',
  '𝒳',
  'é',
]

/** A part that is repeated, between a fixed head and a fixed tail. */
type PumpedText = readonly [head: string, pumped: string, tail: string]

/** Returns matching texts with each part marked for repetition: the worst case of backtracking. */
function pumpedTextsOf(pattern: RegExp): PumpedText[] {
  const marked = new Set(COMMON_SIGNS)
  for (const sample of isRepeating(pattern) ? generateMatches(pattern) : []) {
    for (let at = 0; at < Math.min(sample.length, 24); at++) {
      marked.add(`${sample.slice(0, at)}\n${sample.slice(at, at + 1)}\n${sample.slice(at + 1)}`)
      marked.add(`${sample.slice(0, at)}\n${sample.slice(at, at + 2)}\n${sample.slice(at + 2)}`)
    }
  }
  return [...marked].flatMap((text) => {
    const [head = '', pumped = '', tail = ''] = text.includes('\n') ? text.split('\n') : ['', text]
    return pumped === '' ? [] : [[head, pumped, tail] as const]
  })
}

/** Whether it has a part of any length; in classes the signs for that mean themselves. */
const isRepeating = ({ source }: RegExp): boolean =>
  /[*+?]|\{\d+,/.test(source.replaceAll(/\\./g, '').replaceAll(/\[[^\]]*\]/g, ''))

/** Builds texts of a length with an end that fails. The longest are slow and get fewer ends. */
function buildAttacks([head, pumped, tail]: PumpedText, length: number, ends: string[]): string[] {
  const repeated = head + pumped.repeat(Math.ceil(length / pumped.length))
  const texts = [`${repeated}${tail}`, `${repeated}!`, ...ends.map((end) => `${repeated}${end}`)]
  return length > MAX_LENGTH_WITH_ALL_ENDS ? texts : [...texts, repeated, `${repeated}\u0000`]
}

/** The first character of each negated class: the end at which `[^/]+$` fails is `/`. */
const excludedSigns = ({ source }: RegExp): string[] => [
  ...new Set([...source.matchAll(/\[\^\\?(\W)/g)].map(([, sign = '']) => sign)),
]

/** Generates matching texts, where fast-check supports the pattern. */
function generateMatches(pattern: RegExp): string[] {
  try {
    const plain = new RegExp(pattern.source, pattern.flags.replace(/[gyd]/g, ''))
    return fc.sample(fc.stringMatching(plain), { numRuns: SAMPLE_COUNT, seed: 1 })
  } catch {
    return []
  }
}

/** Short lengths come first, so that exponential patterns are found before they take forever. */
const TEST_LENGTHS = [16, 24, 30, 256, 2_048]
const MAX_LENGTH_WITH_ALL_ENDS = 2_048

/**
 * Returns the milliseconds that a pattern needs for its worst text, and the start of that text. A
 * text of 2,048 characters whose time would stay below the limit even if it grew with the square
 * of the length is not built at full length, which takes most of the processor time.
 */
export function findSlowestText(
  { pattern, maxLength }: Omit<LocatedPattern, 'where'>,
  limitMs: number,
) {
  let worst = { ms: 0, text: '' }
  const ends = excludedSigns(pattern)
  let pumpedTexts = pumpedTextsOf(pattern)
  for (const length of new Set([...TEST_LENGTHS.filter((one) => one <= maxLength), maxLength])) {
    const suspects: PumpedText[] = []
    for (const pumpedText of pumpedTexts) {
      let slowest = 0
      for (const text of buildAttacks(pumpedText, length, ends)) {
        const ms = measureFastestRun(() => text.replace(pattern, ''), limitMs)
        slowest = Math.max(slowest, ms)
        if (ms > worst.ms) worst = { ms, text: `${text.slice(0, 40)}… (${text.length})` }
        if (ms > limitMs) return worst
      }
      if (slowest * (maxLength / length) ** 2 > limitMs) suspects.push(pumpedText)
    }
    if (length === MAX_LENGTH_WITH_ALL_ENDS) pumpedTexts = suspects
  }
  return worst
}

/** How much CPU time is spent on showing that work is not slow, in milliseconds. */
const MAX_RETRY_MS = 1_000

/**
 * Returns the milliseconds of the first run, if they are within the limit: a thread never uses more
 * CPU time than passes. Otherwise returns the CPU milliseconds of the fastest of some runs, since
 * other processes can slow down several in a row.
 */
export function measureFastestRun(work: () => unknown, limitMs: number): number {
  const start = performance.now()
  work()
  const elapsed = performance.now() - start
  if (elapsed <= limitMs) return elapsed
  let best = Number.POSITIVE_INFINITY
  for (let spent = 0; spent < MAX_RETRY_MS && best > limitMs; ) {
    const began = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(began)
    const ms = (user + system) / 1_000
    best = Math.min(best, ms)
    spent += ms
  }
  return best
}
