import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Connection } from './config.ts'
import { CommandUsageError, EXIT_CODES_TEXT } from './failures.ts'
import { formatRows, type Output, wrap } from './output.ts'

/** A word of a command line that is not an option. One named `task` may be the task of the git branch. */
interface ArgumentDefinition {
  name: string
  about: string
  isOptional?: true
  /** Takes all words that follow, which are joined by spaces. */
  isRest?: true
  values?: readonly string[]
}

/** An option of a command. */
export interface OptionDefinition {
  about: string
  /** What its value is called in the help. Without it and without `values` it is a flag. */
  value?: string
  values?: readonly string[]
  short?: string
  /** May be given several times. */
  isList?: true
}

/**
 * A command. Its parsing, its help, the completions of shells and the documented surface follow from
 * this value.
 */
export interface CommandDefinition {
  /** The words of the command, such as `events follow`. */
  name: string
  summary: string
  /** What the help says beyond the summary, in sentences. */
  details?: string
  args?: readonly ArgumentDefinition[]
  options?: Readonly<Record<string, OptionDefinition>>
  /** Whether it has `--dry-run`. */
  isWrite?: true
  /** Whether a pager shows what it prints on a terminal. */
  isLong?: true
  /** Whether the help does not list it. */
  isHidden?: true
  run(context: CommandContext): Promise<void>
}

/** What a command runs with. */
export interface CommandContext {
  /** All commands. */
  commands: readonly CommandDefinition[]
  input: CommandInput
  output: Output
  /** Whether the changes are only to be tried out. */
  isDryRun: boolean
  /** The profile that the command line names. */
  profile: string | undefined
  /** The server and the credential. Throws if nobody is signed in. */
  connect(options?: { maxRetries?: number }): Connection
}

/** Options that every command has. */
const COMMON_OPTIONS: Readonly<Record<string, OptionDefinition>> = {
  json: { about: 'Print one JSON object' },
  profile: { value: 'NAME', about: 'Use another sign-in; default: DOCKET_PROFILE or default' },
  color: { values: ['auto', 'always', 'never'], about: 'When to color' },
  help: { short: 'h', about: 'Show this help' },
}

const DRY_RUN: OptionDefinition = {
  short: 'n',
  about: 'Check and show the change without making it',
}

const ownOptionsOf = ({
  options,
  isWrite,
}: CommandDefinition): Record<string, OptionDefinition> => ({
  ...options,
  ...(isWrite && { 'dry-run': DRY_RUN }),
})

/** All options of a command. */
export const optionsOf = (command: CommandDefinition): Record<string, OptionDefinition> => ({
  ...ownOptionsOf(command),
  ...COMMON_OPTIONS,
})

const isFlag = ({ value, values }: OptionDefinition): boolean =>
  value === undefined && values === undefined

type Values = ReturnType<typeof parseArgs>['values']

/** The words of a command line after its command. Reading one that the command has not declared is a defect. */
export class CommandInput {
  readonly command: CommandDefinition
  readonly #values: Values
  readonly #args: ReadonlyMap<string, string>
  /** All words that are no options. */
  readonly words: readonly string[]

  constructor(command: CommandDefinition, values: Values, words: readonly string[]) {
    this.command = command
    this.#values = values
    this.words = words
    this.#args = values.help ? new Map() : assignArguments(command, words)
  }

  /** The value of an option. */
  text(name: string): string | undefined {
    const value = this.#value(name)
    return typeof value === 'string' ? value : undefined
  }

  /** The values of an option that may be repeated. */
  texts(name: string): string[] {
    const value = this.#value(name)
    return Array.isArray(value) ? value.map(String) : []
  }

  /** A whole number of at least `min`. */
  integer(name: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `from ${min} on`
    throw this.wrong(`--${name} must be a whole number ${range}.`)
  }

  flag(name: string): boolean {
    return this.#value(name) === true
  }

  argument(name: string): string | undefined {
    if (!this.command.args?.some((one) => one.name === name)) throw this.#undeclared(name)
    return this.#args.get(name)
  }

  requiredArgument(name: string): string {
    const value = this.argument(name)
    if (value === undefined) throw this.wrong(`Missing argument: ${name.toUpperCase()}`)
    return value
  }

  wrong(message: string): CommandUsageError {
    return new CommandUsageError(message, this.command)
  }

  #value(name: string) {
    if (!(name in optionsOf(this.command))) throw this.#undeclared(name)
    return this.#values[name]
  }

  #undeclared(name: string): Error {
    return new Error(`docket ${this.command.name} does not declare ${name}`)
  }
}

/** Whether a word is the id or the short id of a task. No key of a status has this form. */
export const isTaskReference = (word: string): boolean =>
  /^(tsk_\w+|[a-z][a-z0-9]*-\d+)$/i.test(word)

/** Finds the command that the first words name; options of all commands may come before it. */
export function findCommandByWords(
  commands: readonly CommandDefinition[],
  words: readonly string[],
) {
  const places: number[] = []
  for (let at = 0; at < words.length && places.length < 2; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('-')) places.push(at)
    const option = COMMON_OPTIONS[word.slice(2)]
    if (word.startsWith('--') && option && !isFlag(option)) at += 1
  }
  for (const length of [2, 1]) {
    const positions = places.slice(0, length)
    const name = positions.map((at) => words[at]).join(' ')
    const command = commands.find((one) => one.name === name)
    if (command) return { command, rest: words.filter((_, at) => !positions.includes(at)) }
  }
  return { name: places.map((at) => words[at] ?? '') }
}

/** Parses the words after a command. Throws for what the command does not declare. */
export function parseInput(command: CommandDefinition, words: readonly string[]): CommandInput {
  const definitions = Object.entries(optionsOf(command))
  const options: NonNullable<ParseArgsConfig['options']> = {}
  for (const [name, option] of definitions) {
    options[name] = {
      type: isFlag(option) ? 'boolean' : 'string',
      ...(option.short && { short: option.short }),
      ...(option.isList && { multiple: true }),
    }
  }
  const { values, positionals } = parseWords(command, words, options)
  for (const [name, { values: choices = [] }] of definitions) {
    for (const value of choices.length > 0 ? [values[name] ?? []].flat() : []) {
      if (!choices.includes(String(value))) {
        throw new CommandUsageError(`--${name} must be ${joinWords(choices)}.`, command)
      }
    }
  }
  return new CommandInput(command, values, positionals)
}

function parseWords(
  command: CommandDefinition,
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CommandUsageError(error.message.replace(/\. To specify .*/s, '.'), command)
  }
}

function assignArguments(command: CommandDefinition, words: readonly string[]) {
  const assignments = new Map<string, string>()
  let rest = words
  for (const { name, isOptional, isRest, values } of command.args ?? []) {
    const [word] = rest
    if (name === 'task' && isOptional && word !== undefined && !isTaskReference(word)) continue
    if (word === undefined) {
      if (isOptional) continue
      throw new CommandUsageError(`Missing argument: ${name.toUpperCase()}`, command)
    }
    if (values && !values.includes(word)) {
      throw new CommandUsageError(`${name.toUpperCase()} must be ${joinWords(values)}.`, command)
    }
    assignments.set(name, isRest ? rest.join(' ') : word)
    rest = isRest ? [] : rest.slice(1)
  }
  const [extra] = rest
  if (extra !== undefined) throw new CommandUsageError(`Unexpected argument: ${extra}`, command)
  return assignments
}

/** Joins values as a sentence does: `a, b or c`. */
const joinWords = (values: readonly string[], word = 'or'): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} ${word} ${values.at(-1)}`

/** The command with its arguments, as its help begins. */
export function formatCall({ name, args = [] }: CommandDefinition): string {
  const words = args.map((argument) => {
    const word = argument.values?.join('|') ?? argument.name.toUpperCase()
    const text = argument.isRest ? `${word}...` : word
    return argument.isOptional ? `[${text}]` : text
  })
  return ['docket', name, ...words].join(' ')
}

/** An option as its help shows it, with its explanation. */
function formatOption(name: string, option: OptionDefinition): [string, string] {
  const { about, short, value, values, isList } = option
  const argument = isFlag(option) ? '' : ` ${value ?? name.toUpperCase()}${isList ? ' ...' : ''}`
  const call = `${short ? `-${short}, ` : ''}--${name}${argument}`
  return [call, values ? `${about} (${joinWords(values)})` : about]
}

const formatOptions = (options: Readonly<Record<string, OptionDefinition>>, width: number) =>
  formatRows(
    Object.entries(options).map(([name, option]) => formatOption(name, option)),
    width,
  )

/** The help of one command. */
export function formatCommandPage(command: CommandDefinition, width: number): string {
  const { args = [], details } = command
  const options = ownOptionsOf(command)
  const rows = args.map(({ name, about }): [string, string] => [name.toUpperCase(), about])
  return [
    `Usage: ${formatCall(command)} [options]`,
    '',
    wrap(`${command.summary}.`, width),
    ...(details ? ['', wrap(details, width)] : []),
    ...(args.length > 0 ? ['', 'Arguments:', formatRows(rows, width)] : []),
    ...(Object.keys(options).length > 0 ? ['', 'Options:', formatOptions(options, width)] : []),
    '',
    wrap(
      `All commands also have ${joinWords(
        Object.keys(COMMON_OPTIONS).map((one) => `--${one}`),
        'and',
      )}: see docket help.`,
      width,
    ),
  ].join('\n')
}

/** The help that lists all commands. */
export function formatOverview(commands: readonly CommandDefinition[], width: number): string {
  const rows = commands
    .filter(({ isHidden }) => !isHidden)
    .map(({ name, summary }): [string, string] => [name, summary])
  return [
    'Usage: docket COMMAND [options]',
    '',
    formatRows(rows, width),
    '',
    'Options of all commands:',
    formatOptions(COMMON_OPTIONS, width),
    '',
    wrap(
      'Where TASK is left out, it is the one whose short id is in the name of the git branch, such as eng-42-fix-login.',
      width,
    ),
    '',
    wrap(
      `docket help COMMAND explains its options, docket -v prints the version. DOCKET_URL and DOCKET_KEY stand for a sign-in. ${EXIT_CODES_TEXT}`,
      width,
    ),
  ].join('\n')
}
