import { Fields } from '#wire/schema.ts'
import { calledIn, isFlag } from './arguments.ts'
import type { Command } from './command.ts'

/** What a schema of an option tells for its help. */
interface Taken {
  enum?: string[]
  description?: string
  items?: Taken
}

/** How all commands are called. */
export function usageOf(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return [
    'Usage: npm run --silent docket -- <command> [options] [--json]',
    '',
    'Commands:',
    ...lines,
    '',
    'With --json a command prints one JSON object. <command> --help tells its options.',
    'The environment is that of the server; a server may run beside, or not.',
  ].join('\n')
}

/** How one command is called. */
export function helpOf(command: Command): string {
  const { name, summary, options, places = [] } = command
  const required = new Set<string>(Fields(options).required)
  const rows = Object.entries(options).map(([option, schema]) => {
    const taken: Taken = schema
    const value = (taken.items ?? taken).enum?.join('|') ?? `<${option.replace(/^.*-/, '')}>`
    const called = calledIn(command, option)
    const call = places.includes(option) || isFlag(schema) ? called : `${called} ${value}`
    const needed = required.has(option)
    const notes = [needed ? 'required' : '', taken.items ? 'repeatable' : '']
    return { call, needed, about: [taken.description ?? '', ...notes].filter(Boolean).join('; ') }
  })
  const calls = rows.map(({ call, needed }) => (needed ? call : `[${call}]`))
  const width = Math.max(0, ...rows.map(({ call }) => call.length))
  return [
    `Usage: npm run --silent docket -- ${[name, ...calls, '[--json]'].join(' ')}`,
    '',
    `${summary}.`,
    ...(rows.length > 0 ? [''] : []),
    ...rows.map(({ call, about }) => `  ${call.padEnd(width)}  ${about}`.trimEnd()),
  ].join('\n')
}
