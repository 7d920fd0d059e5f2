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
    const names = missing.map((name) => `--${name}`)
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
  for (const name of Object.keys(command.options))
    options[name] = { type: 'string', multiple: true }
  const given = Object.entries(parse(command, { args: rest, options }))
  return Object.fromEntries(
    given.map(([name, values]) => {
      if (lists.has(name)) return [name, values]
      if (values.length > 1) throw new WrongUsage(`--${name} was given twice.`, command)
      return [name, values[0]]
    }),
  )
}

function parse(command: Command, config: ParseArgsConfig): Record<string, string[]> {
  try {
    return parseArgs({ ...config, strict: true }).values as Record<string, string[]>
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new WrongUsage(error.message.split('. To specify')[0] ?? error.message, command)
  }
}
