import { ApiError, joinMessages } from '#core/api-error.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import { type Config, ConfigError, parseConfig } from '../config/config.ts'
import {
  type Command,
  findCommand,
  formatCommandHelp,
  formatUsage,
  parseCommandOptions,
  UsageError,
} from './arguments.ts'
import { loadAllCommands, loadCommandGroup } from './commands/command-groups.ts'
import { createInstallation } from './installation.ts'
import { confirm, NotConfirmedError } from './new-password.ts'
import { createListPrinter, escapeForTerminal, formatResult, type PrintPages } from './output.ts'

/** Exit codes: an error, wrong usage, and a wrong configuration (as in sysexits.h). */
const [EXIT_ERROR, EXIT_USAGE, EXIT_CONFIG] = [1, 2, 78]

/** Nobody reads the rest of the output, as after `docket user list | head`. */
const READER_ENDED = new Error('The reader of the output has ended')

process.exitCode = await main(process.argv.slice(2))

/** Runs a command line and returns the exit code (docs/spec/api.md#command-line). */
async function main(words: readonly string[]): Promise<number> {
  const asJson = words.includes('--json')
  const rest = words.filter((word) => word !== '--json')
  try {
    if (rest.length === 1 && rest[0] === '--version') return printVersion(asJson)
    if (words.includes('--help') || words.length === 0) return await printHelp(rest)
    const { command, rest: options } = findCommand(await loadCommandGroup(rest), rest)
    const printPages = createListPrinter(asJson, writeOutput)
    const result = await run(command, parseCommandOptions(command, options), printPages)
    if (!result) return 0
    const text = asJson
      ? JSON.stringify(result)
      : (command.format?.(result) ?? formatResult(result))
    console.log(escapeForTerminal(text))
    return command.isFailure?.(result) ? EXIT_ERROR : 0
  } catch (error) {
    return error === READER_ENDED ? 0 : await printError(error)
  }
}

async function run(
  command: Command,
  options: unknown,
  printPages: PrintPages,
): Promise<object | undefined> {
  let config: Config
  try {
    config = parseConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError) || !command.misconfigured) throw error
    return command.misconfigured(error.mistakes)
  }
  const installation = createInstallation(config, command)
  try {
    if (command.describeConsequence && !hasYes(options)) {
      const consequence = await command.describeConsequence(installation, options)
      if (consequence !== undefined) await confirm(consequence)
    }
    return await command.run(installation, options, printPages)
  } finally {
    await installation.close()
  }
}

/** Waits until the text is written, so that a slow reader does not fill the memory. */
function writeOutput(text: string): Promise<void> {
  const { stdout } = process
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EPIPE' ? READER_ENDED : error)
    stdout.once('error', fail)
    stdout.write(escapeForTerminal(text), (error) => {
      // With an error, the event follows.
      if (error) return
      stdout.off('error', fail)
      resolve()
    })
  })
}

// Declarations, here and below, because the command runs before this line is reached.
function hasYes(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'yes' in options && options.yes === true
}

async function printHelp(words: readonly string[]): Promise<number> {
  const rest = words.filter((word) => word !== '--help')
  const command =
    rest.length > 0 ? findCommand(await loadCommandGroup(rest), rest).command : undefined
  console.log(await helpText(command))
  return words.includes('--help') ? 0 : EXIT_USAGE
}

function printVersion(asJson: boolean): number {
  const { version, commit, schema, node } = BUILD_INFO
  const text = `Docket ${version} (commit ${commit}, schema version ${schema}, Node ${node})`
  console.log(asJson ? JSON.stringify(BUILD_INFO) : text)
  return 0
}

async function helpText(command?: Command): Promise<string> {
  return command ? formatCommandHelp(command) : formatUsage(await loadAllCommands())
}

async function printError(error: unknown): Promise<number> {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${await helpText(error.command)}`)
    return EXIT_USAGE
  }
  if (error instanceof NotConfirmedError) {
    console.error(escapeForTerminal(error.message))
    return error.isDeclined ? EXIT_ERROR : EXIT_USAGE
  }
  if (error instanceof ConfigError) {
    for (const mistake of error.mistakes) console.error(mistake)
    return EXIT_CONFIG
  }
  const code = error instanceof ApiError ? error.code : 'internal_error'
  // Nothing else is printed of an error, so the message names all invalid options.
  const message = error instanceof ApiError ? joinMessages(error) : messageOf(error)
  console.error(escapeForTerminal(JSON.stringify({ error: { code, message } })))
  return EXIT_ERROR
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
