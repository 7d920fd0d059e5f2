import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { routes } from '../../src/app.ts'

/** A pattern of ours, where it stands, and the longest text that it can be given. */
export interface Known {
  pattern: RegExp
  where: string
  longest: number
}

/** A literal, where an expression can begin; comments are gone by then. */
const LITERAL =
  /(?<=[=(,:!&|?[{;\s]\s?|^)\/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[\s.,;)\]}]|$)/gm

/** The longest of each: passwords, addresses, header fields, texts, and what only operators or we ourselves write. */
const LONGEST: readonly [RegExp, number][] = [
  [/password-rule/, 512],
  [/address\.ts/, 2_048],
  [/^src\/http\/pages\//, 2_048],
  [/^src\/(cli|config|settings|demo|storage)/, 2_048],
  [/^src\/http\//, 16_384],
  [/^src\//, 65_536],
]

/** All regular expressions of the program: literals, and patterns of its schemas. */
export function patterns(): Known[] {
  const literals = globSync('src/**/*.ts').flatMap((file) => {
    if (file.endsWith('.test.ts')) return []
    const source = readFileSync(file, 'utf8').replace(/^\s*(\/\*\*?|\*|\/\/).*$/gm, '')
    const longest = LONGEST.find(([files]) => files.test(file))?.[1] ?? 65_536
    return [...source.matchAll(LITERAL)].map(([all, body = '', flags]) => ({
      pattern: new RegExp(body, flags),
      where: `${file}: ${all}`,
      longest,
    }))
  })
  const schemas = new Set<string>()
  for (const { endpoint } of routes) {
    collect(endpoint.params, schemas)
    collect(endpoint.query, schemas)
    collect(endpoint.body, schemas)
  }
  const named = [...schemas].map((source) => ({
    pattern: new RegExp(source, 'u'),
    where: `schemas: ${source}`,
    longest: 65_536,
  }))
  return [...literals, ...named]
}

function collect(schema: unknown, found: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, one] of Object.entries(schema)) {
    if (name === 'pattern' && typeof one === 'string') found.add(one)
    else collect(one, found)
  }
}

const SAMPLES = 4
const COMMON = [
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

/** A part that is pumped up, between a head and a tail that stay as they are. */
type Core = readonly [head: string, pumped: string, tail: string]

/** What makes a backtracking matcher work: what matches, with a part of it to be pumped up. */
function coresOf(pattern: RegExp): Core[] {
  const cores = new Set(COMMON)
  for (const sample of samplesOf(pattern)) {
    for (let at = 0; at < Math.min(sample.length, 24); at++) {
      cores.add(`${sample.slice(0, at)}\n${sample.slice(at, at + 1)}\n${sample.slice(at + 1)}`)
      cores.add(`${sample.slice(0, at)}\n${sample.slice(at, at + 2)}\n${sample.slice(at + 2)}`)
    }
  }
  return [...cores].flatMap((core) => {
    const [head = '', pumped = '', tail = ''] = core.includes('\n') ? core.split('\n') : ['', core]
    return pumped === '' ? [] : [[head, pumped, tail] as const]
  })
}

/** Texts of a length, with an end that does not fit: the longest cost most, and have fewer ends. */
function attacks(cores: readonly Core[], length: number): string[] {
  return cores.flatMap(([head, pumped, tail]) => {
    const much = head + pumped.repeat(Math.ceil(length / pumped.length))
    const texts = [`${much}${tail}`, `${much}!`]
    return length > MANY_ENDS ? texts : [...texts, much, `${much}\u0000`]
  })
}

/** Texts that match, as far as the pattern can be turned around. */
function samplesOf(pattern: RegExp): string[] {
  try {
    const plain = new RegExp(pattern.source, pattern.flags.replace(/[gyd]/g, ''))
    return fc.sample(fc.stringMatching(plain), { numRuns: SAMPLES, seed: 1 })
  } catch {
    return []
  }
}

/** Lengths to try, so that what is exponential is found before it would take for ever. */
const LADDER = [16, 24, 30, 256, 2_048]
const MANY_ENDS = 2_048

/** The milliseconds that a pattern needs for the worst text of its length, and that text's beginning. */
export function slowest({ pattern, longest }: Omit<Known, 'where'>, patience: number) {
  let worst = { ms: 0, text: '' }
  const cores = coresOf(pattern)
  for (const length of new Set([...LADDER.filter((one) => one <= longest), longest])) {
    for (const text of attacks(cores, length)) {
      const ms = quickest(() => text.replace(pattern, ''), patience)
      if (ms > worst.ms) worst = { ms, text: `${text.slice(0, 40)}… (${text.length})` }
      if (ms > patience) return worst
    }
  }
  return worst
}

/** Milliseconds of this thread alone, of the best of some runs: other processes do not count. */
export function quickest(work: () => unknown, patience: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 4 && best > patience; run++) {
    const began = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(began)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}
