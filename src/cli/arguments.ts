import { type ParseArgsConfig, parseArgs } from 'node:util'
import { invalid } from '#core/refusal.ts'
import { readerOf } from '#wire/read.ts'
import { Fields } from '#wire/schema.ts'
import type { Command } from './command.ts'

/** A command line that no command takes. */
export class WrongUsage extends Error {
  /** The command that was meant, where that is clear. */
  readonly command: Command | undefined

  constructor(message: string, command?: Command) {
    super(message)
    this.command = command
  }
}

/** The command that is called by the first words, with the arguments that are left for it. */
export function commandIn(commands: readonly Command[], words: readonly string[]) {
  const command = commands.find(({ name }) => {
    const called = name.split(' ')
    return called.every((word, at) => words[at] === word)
  })
  if (command) return { command, rest: words.slice(command.name.split(' ').length) }
  const called = words.filter((word) => !word.startsWith('-')).slice(0, 2)
  if (called.length === 0) throw new WrongUsage('Name a command.')
  throw new WrongUsage(`There is no command "${called.join(' ')}".`)
}

/**
 * Reads the options of a command. What it does not take or lacks is wrong usage; a value that does
 * not fit is refused as in a request: 422 `validation_failed`.
 */
export function optionsOf(command: Command, rest: readonly string[]): unknown {
  const schema = Fields(command.options)
  const values = parsed(command, rest)
  const missing = (schema.required ?? []).filter((name) => !(name in values))
  if (missing.length > 0) {
    const names = missing.map((name) => calledIn(command, name))
    throw new WrongUsage(`${names.join(', ')} must be given.`, command)
  }
  const { value, faults } = readerOf(schema)(values)
  if (faults.length > 0) throw invalid(...faults)
  return value
}

function parsed(command: Command, rest: readonly string[]): Record<string, unknown> {
  const lists = new Set(
    Object.entries(command.options).flatMap(([name, schema]) => ('items' in schema ? [name] : [])),
  )
  // Each may come again and again for the parser: what comes twice is told, not dropped.
  const options: ParseArgsConfig['options'] = {}
  for (const [name, schema] of Object.entries(command.options)) {
    if (command.places?.includes(name)) continue
    const type = isFlag(schema) ? 'boolean' : 'string'
    options[name] = { type, multiple: true }
  }
  const { values, placed } = parse(command, { args: rest, options })
  const given = Object.entries(values).map(([name, values]) => {
    if (lists.has(name)) return [name, values]
    if (values.length > 1) throw new WrongUsage(`--${name} was given twice.`, command)
    return [name, values[0]]
  })
  return { ...Object.fromEntries(given), ...placed }
}

/** Whether an option has no value: given is yes. */
export const isFlag = (schema: object): boolean => 'type' in schema && schema.type === 'boolean'

/** How an option is written on the command line. */
export const calledIn = ({ places = [] }: Command, name: string): string =>
  places.includes(name) ? `<${name}>` : `--${name}`

function parse(command: Command, config: ParseArgsConfig) {
  const { places = [] } = command
  try {
    const allowPositionals = places.length > 0
    const { values, positionals } = parseArgs({ ...config, allowPositionals, strict: true })
    const [extra] = positionals.slice(places.length)
    if (extra !== undefined) throw new WrongUsage(`"${extra}" is one word too many.`, command)
    return {
      values: values as Record<string, (string | boolean)[]>,
      placed: Object.fromEntries(positionals.map((value, at) => [places[at] ?? '', value])),
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new WrongUsage(error.message.split('. To specify')[0] ?? error.message, command)
  }
}
