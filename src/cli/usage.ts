import { COMMAND_NAME } from '#db/installation/build-info.ts'
import { StrictObject } from '#wire/schema-builders.ts'
import { isFlagOption, optionSyntax } from './arguments.ts'
import type { Command } from './command.ts'

/** The parts of an option's schema that its help shows. */
interface OptionSchema {
  enum?: string[]
  description?: string
  items?: OptionSchema
}

/** The help that lists all commands. */
export function formatUsage(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    `Usage: ${COMMAND_NAME} <command> [options] [--json]`,
    `       ${COMMAND_NAME} --version`,
    '',
    'Commands:',
    ...lines,
    '',
    'Add --json to print the result as one JSON object (audit verify, webhook listen: several, one a line).',
    'Run <command> --help for its options.',
    'Use the same environment as the server. Commands work whether or not the server is running.',
  ].join('\n')
}

/** The help for one command. */
export function formatCommandHelp(command: Command): string {
  const { name, summary, options, positionals = [] } = command
  const required = new Set<string>(StrictObject(options).required)
  const rows = Object.entries(options).map(([option, schema]) => {
    const { items, description, enum: values }: OptionSchema = schema
    const value = (items ? items.enum : values)?.join('|') ?? `<${option.replace(/^.*-/, '')}>`
    const syntax = optionSyntax(command, option)
    const call =
      positionals.includes(option) || isFlagOption(schema) ? syntax : `${syntax} ${value}`
    const isRequired = required.has(option)
    const notes = [isRequired ? 'required' : '', items ? 'repeatable' : '']
    return { call, isRequired, about: [description ?? '', ...notes].filter(Boolean).join('; ') }
  })
  const calls = rows.map(({ call, isRequired }) => (isRequired ? call : `[${call}]`))
  const width = Math.max(0, ...rows.map(({ call }) => call.length))
  return [
    `Usage: ${COMMAND_NAME} ${[name, ...calls, '[--json]'].join(' ')}`,
    '',
    `${summary}.`,
    ...(rows.length > 0 ? [''] : []),
    ...rows.map(({ call, about }) => `  ${call.padEnd(width)}  ${about}`.trimEnd()),
  ].join('\n')
}
