import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type PreparedPassword, preparePassword } from '#auth/users/accounts.ts'
import { validationFailed } from '#core/api-error.ts'
import { COMMAND_NAME } from '#db/installation/build-info.ts'
import { isTimezone } from '#lib/days.ts'
import { NO_TILDE_PATH } from '#lib/tilde-path.ts'
import { fieldError } from '#wire/field-error.ts'
import { validatePassword } from '#wire/password-policy.ts'
import { ROLES } from '#wire/rights.ts'
import {
  Flag,
  MultilineText,
  Optional,
  Pattern,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { isScope, SCOPE_PRESETS, type Scope } from '#wire/scopes.ts'
import type { CliInstallation } from './installation.ts'
import { readNewPassword } from './new-password.ts'
import type { PrintPages } from './output.ts'

type OptionSchemas = Parameters<typeof StrictObject>[0]

/**
 * A command of the command line. Its help and the parsing of its options follow from this value.
 */
export interface Command {
  /** The words of the command, such as `workspace create`. */
  name: string
  summary: string
  /**
   * Schemas by name without dashes. Values are strings; a list may be repeated; a flag has no
   * value.
   */
  options: OptionSchemas
  /** The options that are positional, in this order. */
  positionals?: readonly string[]
  /** Options of which exactly one must be given, in groups. */
  alternatives?: readonly (readonly string[])[]
  /**
   * What the command does to an installation (default: `write`). `read` never changes or creates
   * anything, and only `create` may begin a new installation.
   */
  access?: 'read' | 'write' | 'create'
  /**
   * How the command uses the secret of the installation (default: `required`). `optional` works also
   * when it is lost, and `renewed` replaces it.
   */
  secretUse?: 'required' | 'optional' | 'renewed'
  /**
   * Describes what a destructive command will do, in one sentence. The command then has the option
   * `--yes`, and asks without it. Undefined if there is nothing to confirm.
   */
  describeConsequence?(installation: CliInstallation, options: unknown): Promise<string | undefined>
  /** Returns what is printed at the end; undefined if a list has been printed already. */
  run(
    installation: CliInstallation,
    options: unknown,
    printPages: PrintPages,
  ): Promise<object | undefined>
  /** Whether the result is a failure, for which the exit code is 1. */
  isFailure?(result: object): boolean
  /** Formats the result for people, if a list of its fields is not suitable. */
  format?(result: object): string
  /** The result if the environment is misconfigured. Without it, only the mistakes are printed. */
  misconfigured?(mistakes: readonly string[]): object
}

type OptionValues<P extends OptionSchemas> = Static<ReturnType<typeof StrictObject<P>>>

interface TypedCommand<P extends OptionSchemas>
  extends Omit<Command, 'options' | 'run' | 'describeConsequence'> {
  options: P
  describeConsequence?(
    installation: CliInstallation,
    options: OptionValues<P>,
  ): Promise<string | undefined>
  run(
    installation: CliInstallation,
    options: OptionValues<P>,
    printPages: PrintPages,
  ): Promise<object | undefined>
}

/** Defines a command whose `run` gets its options with their types. */
export const defineCommand = <P extends OptionSchemas>(value: TypedCommand<P>): Command =>
  value as Command

/** Defines a command that destroys something and therefore asks first, or needs `--yes`. */
export const defineDestructiveCommand = <P extends OptionSchemas>(
  value: TypedCommand<P> & Required<Pick<TypedCommand<P>, 'describeConsequence'>>,
): Command => ({ ...defineCommand(value), options: { ...value.options, yes: Optional(YesOption) } })

const YesOption = Flag({ description: 'Do it without asking' })

// Options that several commands share.

/** The value of a password option that has none. It is too short for a password. */
const FROM_STANDARD_INPUT = '-'

/** A malformed id is not rejected here: no record has it, so the command responds with 404. */
export const IdOption = (what: string) =>
  SingleLineText(1, 64, { description: `Id of the ${what}` })
/** Which workspace; most installations have only one. */
export const WorkspaceOption = SingleLineText(1, 64, {
  description: 'Id of the workspace; default: the only one',
})
/** The two options that name a member, of which a command takes one. */
export const MEMBER_OPTIONS = {
  user: Optional(IdOption('member')),
  email: Optional(
    SingleLineText(1, 254, { description: 'Email address of the member, in place of --user' }),
  ),
} as const
export const MEMBER_ALTERNATIVES = [['user', 'email']] as const
export const RoleOption = StringEnum(ROLES)
export const PathOption = (description: string) =>
  Pattern('^(?!~)', NO_TILDE_PATH, { minLength: 1, maxLength: 4_096, description })
export const NameOption = SingleLineText(1, 100, { description: 'Name' })
export const EmailOption = SingleLineText(1, 254, { description: 'Email address' })
/** Without a value it is read from standard input: other users of the machine can list arguments. */
export const PasswordOption = MultilineText(0, 1_024, {
  description:
    'Password; without a value it is read from standard input, and without the option a random one is generated and printed',
  'x-default-value': FROM_STANDARD_INPUT,
})
export const TimezoneOption = SingleLineText(1, 64, {
  description: 'Time zone, such as Europe/Zurich',
})
export const PlanOption = StringEnum(['free', 'paid'])
export const ScopesOption = SingleLineText(1, 1_000, {
  description: 'full, read_only, or a comma-separated list of scopes',
})
export const RateLimitOption = SingleLineText(1, 20, {
  description: 'Requests per minute of the key, below those of the workspace, or none',
})
export const VisibilityOption = StringEnum(['workspace', 'private'])

export function assertTimezone(timezone: string, option: string): void {
  if (isTimezone(timezone)) return
  throw validationFailed(
    fieldError(option, 'invalid_value', 'must be a time zone, such as Europe/Zurich'),
  )
}

/** Checks and hashes the given password, or makes one. Hashing must not happen in a transaction. */
export async function preparePasswordOption(
  value: string | undefined,
  option: string,
): Promise<PreparedPassword> {
  const password =
    value === FROM_STANDARD_INPUT ? await readNewPassword(!process.stdin.isTTY) : value
  const passwordFault = password === undefined ? undefined : validatePassword(option, password)
  if (passwordFault) throw validationFailed(passwordFault)
  return preparePassword(password)
}

/** Parses a rate limit; null for `none`. Throws 422 for anything but a positive whole number. */
export function parseRateLimitOption(text: string): number | null {
  if (text === 'none') return null
  const limit = Number(text)
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(limit)) return limit
  const why = 'must be a whole number of requests per minute, such as 100, or none'
  throw validationFailed(fieldError('rate-limit', 'invalid_value', why))
}

/** Parses a preset or a list of scopes. Throws 422 for unknown scopes. */
export function parseScopesOption(text: string): readonly Scope[] {
  if (text === 'full' || text === 'read_only') return SCOPE_PRESETS[text]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length === 0) return names.filter(isScope)
  const why = `must be full, read_only or a comma-separated list of scopes; unknown: ${unknown.join(', ')}`
  throw validationFailed(fieldError('scopes', 'invalid_value', why))
}

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
  for (const group of command.alternatives ?? []) {
    if (group.filter((name) => name in values).length === 1) continue
    const names = group.map((name) => optionSyntax(command, name))
    throw new UsageError(`Give one of: ${names.join(', ')}`, command)
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
const isFlagOption = (schema: object): boolean => 'type' in schema && schema.type === 'boolean'

/** The syntax of an option on the command line. */
const optionSyntax = ({ positionals = [] }: Command, name: string): string =>
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
    'Add --json to print the result as one JSON object.',
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
