import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as german from './index.ts'

const inGerman = new Map<string, unknown>(Object.entries(german))
const messages = join(import.meta.dirname, '..')
const files = globSync('*.ts', { cwd: messages }).filter((name) => !/^say\.|\.test\.ts$/.test(name))
const parts = files.flatMap((file) => {
  const [, name] = /\bsay\(\s*'(\w+)'/.exec(readFileSync(join(messages, file), 'utf8')) ?? []
  return name === undefined ? [] : [{ name, file }]
})

test('each part that the app says has its German, and no other has', () => {
  assert.deepEqual([...inGerman.keys()].sort(), parts.map(({ name }) => name).sort())
})

test('German has the same keys as English, and says all that it is given', async () => {
  const wrong: string[] = []
  for (const { name, file } of parts) {
    const english = await import(join(messages, file))
    const [of] = Object.values(english)
    wrong.push(...differences(of, inGerman.get(name), name))
  }
  assert.deepEqual(wrong, [])
})

test('what is missing, more, or says less than the English is found', () => {
  const english = { a: 'x', b: (n: number) => `${n} of`, c: ['x', 'y'], d: { 7: 'x' } }
  const other = { a: 'x', b: () => 'of', c: ['x'], d: { 8: 'x' } }
  assert.deepEqual(differences(english, other, 'part'), [
    'part.b: says 1001 in English alone',
    'part.c.1: string in English, undefined in German',
    'part.d.7: string in English, undefined in German',
    'part.d.8: undefined in English, string in German',
  ])
})

/** Where German is not of the shape of English, a line each. */
function differences(english: unknown, other: unknown, path: string): string[] {
  // What is typed is read in English anyway: a language adds its own words.
  if (path === 'time.typed') return []
  const kinds = [kindOf(english), kindOf(other)]
  if (kinds[0] !== kinds[1]) return [`${path}: ${kinds[0]} in English, ${kinds[1]} in German`]
  if (typeof english === 'function' && typeof other === 'function') {
    return lost(english, other).map((what) => `${path}: says ${what} in English alone`)
  }
  if (typeof english !== 'object' || english === null) return []
  const [one, two] = [new Map(Object.entries(english)), new Map(Object.entries(other ?? {}))]
  return [...new Set([...one.keys(), ...two.keys()])].flatMap((key) =>
    differences(one.get(key), two.get(key), `${path}.${key}`),
  )
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value)

/** What an English text is given and says, and the German one does not. */
function lost(english: unknown, other: unknown): string[] {
  const missing = [1, 1_001].flatMap((first) => {
    const given = [first, 1_002, 1_003, 1_004]
    const [one, two] = [said(english, given), said(other, given)]
    return given
      .map(String)
      .filter((marker) => marker !== '1' && one.includes(marker) && !two.includes(marker))
  })
  return [...new Set(missing)]
}

/** The text for these figures, without the signs between thousands; none where it wants something else. */
function said(text: unknown, given: readonly number[]): string {
  if (typeof text !== 'function') return ''
  try {
    return String(text(...given)).replaceAll(/(?<=\d)[,.](?=\d)/g, '')
  } catch {
    return ''
  }
}
