import { type ParseArgsConfig, parseArgs } from 'node:util'
import { validationFailed } from '#core/api-error.ts'
import { StrictObject } from '#wire/schema-builders.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import type { Command } from './command.ts'

/** A command line that no command accepts. */
export class UsageError extends Error {
  /** The command whose help is shown, if it is known. */
  readonly command: Command | undefined

  constructor(message: string, command?: Command) {
    super(message)
    this.command = command
  }
}

/** Finds the command by the first words, and returns it with its remaining arguments. */
export function findCommand(commands: readonly Command[], words: readonly string[]) {
  const command = commands.find(({ name }) => {
    const nameWords = name.split(' ')
    return nameWords.every((word, at) => words[at] === word)
  })
  if (command) return { command, rest: words.slice(command.name.split(' ').length) }
  const unknown = words.filter((word) => !word.startsWith('-')).slice(0, 2)
  if (unknown.length === 0) throw new UsageError('No command given.')
  throw new UsageError(`Unknown command: ${unknown.join(' ')}`)
}

/**
 * Parses the options of a command. Unknown and missing options are a usage error. Invalid values
 * are reported as in a request: 422 `validation_failed`.
 */
export function parseCommandOptions(command: Command, rest: readonly string[]): unknown {
  const schema = StrictObject(command.options)
  const values = parseValues(command, rest)
  const missing = (schema.required ?? []).filter((name) => !(name in values))
  if (missing.length > 0) {
    const names = missing.map((name) => optionSyntax(command, name))
    throw new UsageError(`Missing required: ${names.join(', ')}`, command)
  }
  const { value, errors } = createSchemaParser(schema)(values)
  if (errors.length > 0) throw validationFailed(...errors)
  return value
}

function parseValues(command: Command, rest: readonly string[]): Record<string, unknown> {
  const listOptions = new Set(
    Object.entries(command.options).flatMap(([name, schema]) => ('items' in schema ? [name] : [])),
  )
  // The parser accepts every option several times, so that a repeated one is reported, not dropped.
  const options: ParseArgsConfig['options'] = {}
  for (const [name, schema] of Object.entries(command.options)) {
    if (command.positionals?.includes(name)) continue
    const type = isFlagOption(schema) ? 'boolean' : 'string'
    options[name] = { type, multiple: true }
  }
  const args = rest.map((word, at) => word + missingValueOf(command, word, rest[at + 1]))
  const { values, positionals } = parseWords(command, { args, options })
  const entries = Object.entries(values).map(([name, values]) => {
    if (listOptions.has(name)) return [name, values]
    if (values.length > 1) throw new UsageError(`Option given more than once: --${name}`, command)
    return [name, values[0]]
  })
  return { ...Object.fromEntries(entries), ...positionals }
}

/** What an option stands for that is given without a value, such as `--password` at the end. */
function missingValueOf({ options }: Command, word: string, next: string | undefined): string {
  const schema = word.startsWith('--') ? options[word.slice(2)] : undefined
  const hasValue = next !== undefined && !next.startsWith('--')
  if (!schema || hasValue || !('x-default-value' in schema)) return ''
  return `=${schema['x-default-value']}`
}

/** Whether an option is a flag, which takes no value. */
export const isFlagOption = (schema: object): boolean =>
  'type' in schema && schema.type === 'boolean'

/** The syntax of an option on the command line. */
export const optionSyntax = ({ positionals = [] }: Command, name: string): string =>
  positionals.includes(name) ? `<${name}>` : `--${name}`

function parseWords(command: Command, config: ParseArgsConfig) {
  const { positionals: names = [] } = command
  try {
    const { values, positionals } = parseArgs({ ...config, allowPositionals: true, strict: true })
    const [extra] = positionals.slice(names.length)
    if (extra !== undefined) throw new UsageError(`Unexpected argument: ${extra}`, command)
    return {
      values: values as Record<string, (string | boolean)[]>,
      positionals: Object.fromEntries(positionals.map((value, at) => [names[at] ?? '', value])),
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message.split('. To specify')[0] ?? error.message, command)
  }
}
