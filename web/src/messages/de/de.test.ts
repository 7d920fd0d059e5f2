import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as german from './index.ts'
import * as rareGerman from './rare.ts'
import { germanEmptyList } from './tasks/empty-list.ts'

const inGerman = new Map<string, unknown>(Object.entries({ ...german, ...rareGerman }))
const messages = join(import.meta.dirname, '..')
const files = globSync('**/*.ts', { cwd: messages, exclude: ['de/**'] })
const parts = files.flatMap((file) => {
  // The exported constant is the result of a call with the name of the part.
  const [, constant = '', name] =
    /^export const (\w+) = (?:await )?\w+\(\s*'(\w+)'/m.exec(
      readFileSync(join(messages, file), 'utf8'),
    ) ?? []
  return name === undefined ? [] : [{ name, constant, file }]
})

test('the German dictionary has exactly the parts that the app defines', () => {
  assert.deepEqual([...inGerman.keys()].sort(), parts.map(({ name }) => name).sort())
})

test('a number sign of a filter is none of a number of tasks', () => {
  assert.equal(germanEmptyList.mostLeftOut('#42', 2), 'Ohne „#42“ passen 2 Aufgaben.')
})

test('German texts have the same keys as the English ones and use all their parameters', async () => {
  const wrong: string[] = []
  for (const { name, constant, file } of parts) {
    const english: Record<string, unknown> = await import(join(messages, file))
    wrong.push(...differences(english[constant], inGerman.get(name), name))
  }
  assert.deepEqual(wrong, [])
})

/** The differences in structure between English and German texts, one line each. */
function differences(english: unknown, other: unknown, path: string): string[] {
  // Typed words are understood in English anyway; a language only adds its own. The server's own reasons
  // are in English, so other languages need more of them.
  if (path === 'time.typed' || path === 'refusals') return []
  const kinds = [kindOf(english), kindOf(other)]
  if (kinds[0] !== kinds[1]) return [`${path}: ${kinds[0]} in English, ${kinds[1]} in German`]
  if (typeof english === 'function' && typeof other === 'function') {
    return findUnusedArguments(english, other).map(
      (what) => `${path}: says ${what} in English alone`,
    )
  }
  if (typeof english !== 'object' || english === null) return []
  const [one, two] = [new Map(Object.entries(english)), new Map(Object.entries(other ?? {}))]
  return [...new Set([...one.keys(), ...two.keys()])].flatMap((key) =>
    differences(one.get(key), two.get(key), `${path}.${key}`),
  )
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value)

/** The arguments that appear in the English text but not in the German one. */
function findUnusedArguments(english: unknown, other: unknown): string[] {
  const missing = [1, 1_001].flatMap((first) => {
    const args = [first, 1_002, 1_003, 1_004]
    const [one, two] = [renderText(english, args), renderText(other, args)]
    return args
      .map(String)
      .filter((marker) => marker !== '1' && one.includes(marker) && !two.includes(marker))
  })
  return [...new Set(missing)]
}

/** The text for these numbers without thousands separators; empty if it takes other arguments. */
function renderText(text: unknown, args: readonly number[]): string {
  if (typeof text !== 'function') return ''
  try {
    return String(text(...args)).replaceAll(/(?<=\d)[,.](?=\d)/g, '')
  } catch {
    return ''
  }
}
