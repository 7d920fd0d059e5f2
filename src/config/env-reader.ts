import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type EnvVariables, FILE_SUFFIX, SECRET_SETTINGS } from './setting-names.ts'

const MAX_LIST_VALUES = 50

/** One setting: its value, and where the value comes from. */
export interface SettingReading {
  name: string
  /** The text in force; undefined if the setting is not set and has no default. */
  value: string | undefined
  source: 'default' | 'environment' | 'file'
  /** The file with the value, for the source `file`. */
  path?: string
}

/** Reads the text of a setting; undefined if it is not set. */
export type ReadText = (name: string) => string | undefined

/** Creates functions that read single settings and collect all mistakes. */
export function createEnvReader(env: EnvVariables) {
  const mistakes: string[] = []
  const fileMistakes: string[] = []
  const failedNames: string[] = []
  const readings = new Map<string, SettingReading>()

  function text(name: string): string | undefined {
    const reading = readings.get(name) ?? readSetting(name)
    readings.set(name, reading)
    return reading.source === 'default' ? undefined : reading.value
  }

  /** Reads a setting and records its default as the value in force where it is not set. */
  function textOrDefault(name: string, defaultValue: string): string {
    return text(name) ?? recordDefault(name, defaultValue)
  }

  function recordDefault(name: string, value: string): string {
    const reading = readings.get(name)
    if (reading?.source === 'default') readings.set(name, { ...reading, value })
    return value
  }

  function readSetting(name: string): SettingReading {
    const value = env[name] || undefined
    const path = SECRET_SETTINGS.has(name) ? env[`${name}${FILE_SUFFIX}`] || undefined : undefined
    if (path === undefined) {
      return { name, value, source: value === undefined ? 'default' : 'environment' }
    }
    try {
      if (value !== undefined) throw new Error(`is set, and so is ${name}: remove one of them`)
      return { name, value: readSecretFile(path), source: 'file', path: resolve(path) }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      fileMistakes.push(`${name}${FILE_SUFFIX} ${why}`)
      failedNames.push(name)
      return { name, value: undefined, source: 'default' }
    }
  }

  function integer(name: string, defaultValue: number, min: number, max: number): number {
    const input = text(name)
    if (input === undefined) {
      recordDefault(name, Number.isFinite(defaultValue) ? `${defaultValue}` : 'unlimited')
      return defaultValue
    }
    const value = /^\d{1,12}$/.test(input) ? Number(input) : Number.NaN
    if (value >= min && value <= max) return value
    mistakes.push(`${name} must be a whole number from ${min} to ${max}, not "${input}"`)
    return defaultValue
  }

  function oneOf<const W extends string>(name: string, values: readonly W[], defaultValue: W): W {
    const input = textOrDefault(name, defaultValue)
    const value = values.find((one) => one === input)
    if (value !== undefined) return value
    mistakes.push(`${name} must be one of ${values.join(', ')}, not "${input}"`)
    return defaultValue
  }

  function list(name: string, isValid: (part: string) => boolean, expected: string): string[] {
    const parts = (text(name) ?? '').split(',').map((part) => part.trim())
    const values = parts.filter((part) => part !== '')
    const invalid = values.filter((part) => !isValid(part))
    if (invalid.length > 0)
      mistakes.push(`${name} must list ${expected}, not "${invalid.join(', ')}"`)
    return values
  }

  function integers(name: string, defaults: number[], max: number): number[] {
    const input = textOrDefault(name, defaults.join(','))
    const values = input.split(',').map((part) => (/^\d{1,12}$/.test(part) ? Number(part) : -1))
    if (values.every((value) => value >= 0 && value <= max) && values.length <= MAX_LIST_VALUES) {
      return values
    }
    mistakes.push(
      `${name} must list up to ${MAX_LIST_VALUES} whole numbers from 0 to ${max}, not "${input}"`,
    )
    return defaults
  }

  const flag = (name: string, defaultValue: boolean) =>
    oneOf(name, ['0', '1'], defaultValue ? '1' : '0') === '1'

  /** All mistakes; those that only follow from a file that could not be read are left out. */
  function listMistakes(): string[] {
    const failed = failedNames.map((name) => new RegExp(`\\b${name}\\b`))
    const others = mistakes.filter((mistake) => !failed.some((name) => name.test(mistake)))
    return [...fileMistakes, ...others]
  }

  const readers = { text, textOrDefault, integer, integers, oneOf, list, flag }
  return { ...readers, mistakes, readings, recordDefault, listMistakes }
}

/** Reads single settings and collects all mistakes. */
export type EnvReader = ReturnType<typeof createEnvReader>

const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'is not readable by this user',
  EISDIR: 'is a directory',
}

/** Reads a secret without its last line break. Errors name the path, never the content. */
function readSecretFile(path: string): string {
  const absolute = resolve(path)
  let content: string
  try {
    content = readFileSync(absolute, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new Error(`names ${absolute}, which ${READ_FAILURES[code] ?? `cannot be read (${code})`}`)
  }
  const value = content.replace(/\r?\n$/, '')
  if (value === '') throw new Error(`names ${absolute}, which is empty`)
  return value
}
